"""A data loader whose batches are what one call of a model takes."""

import torch

from ._enums import DataLoaderMode


class DataLoader(torch.utils.data.DataLoader):
    """Batches of batch_size x device iterations x replicas x accumulated micro-batches. All modes load synchronously."""

    def __init__(self, options, dataset, batch_size=1, shuffle=None, num_workers=0, drop_last=True, persistent_workers=None,
                 auto_distributed_partitioning=True, mode=DataLoaderMode.Sync, async_options=None, rebatched_worker_size=None,
                 batch_sampler=None, **named):
        self._tilescope_options, self._size = options, None if batch_size is None else batch_size * options.factor
        if batch_sampler is not None:
            super().__init__(dataset, batch_sampler=batch_sampler, num_workers=num_workers, **named)
            return
        if isinstance(dataset, torch.utils.data.IterableDataset):
            shuffle = None
        if num_workers and persistent_workers is not None:
            named["persistent_workers"] = persistent_workers
        super().__init__(dataset, batch_size=self._size, shuffle=bool(shuffle) if shuffle is not None else None, num_workers=num_workers,
                         drop_last=drop_last if batch_size is not None else False, **named)

    options = property(lambda self: self._tilescope_options)
    combinedBatchSize = property(lambda self: self._size)

    def terminate(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class AsynchronousDataAccessor:
    def __init__(self, dataset, *_, **__):
        self._dataset = dataset

    def __len__(self):
        return len(self._dataset)

    def __iter__(self):
        return iter(self._dataset)

    def terminate(self):
        pass
