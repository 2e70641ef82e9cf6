"""A data loader whose batches have the size of one call of a model."""

import itertools

import torch
from torch.utils.data import IterableDataset

from ._enums import DataLoaderMode, Error
from ._export import flat, unflat


class _Share(torch.utils.data.Sampler):
    """The part of a data set for one of several processes, in a new order for each epoch."""

    def __init__(self, dataset, distributed, step, shuffle, seed, drop_last):
        count = distributed.numProcesses
        size = len(dataset) // (count * step) * step if drop_last else -(-len(dataset) // count)
        self._range, self._seed, self._epoch = (distributed.processId * size, min(len(dataset), (distributed.processId + 1) * size)), seed, 0
        self._shuffle, self._total = shuffle, len(dataset)

    def __len__(self):
        return max(0, self._range[1] - self._range[0])

    def __iter__(self):
        order = range(self._total)
        if self._shuffle:
            order = torch.randperm(self._total, generator=torch.Generator().manual_seed(self._seed + self._epoch)).tolist()
            self._epoch += 1
        return iter(order[slice(*self._range)])


def _joined(parts):
    """Concatenates batches of the same structure, which may have custom types."""
    tensors = [[] for _ in parts]
    form = [flat(part, found) for part, found in zip(parts, tensors)][0]
    return unflat(form, [torch.cat(columns) for columns in zip(*tensors)])


def _cut(batch, begin, end):
    tensors = []
    form = flat(batch, tensors)
    return unflat(form, [one[begin:end] for one in tensors])


def _count(batch):
    tensors = []
    flat(batch, tensors)
    return tensors[0].shape[0]


class DataLoader(torch.utils.data.DataLoader):
    """Batches of batch_size x device iterations x replicas x accumulated micro-batches. All modes load synchronously."""

    def __init__(self, options, dataset, batch_size=1, shuffle=None, num_workers=0, drop_last=True, persistent_workers=None,
                 auto_distributed_partitioning=True, mode=DataLoaderMode.Sync, async_options=None, rebatched_worker_size=None,
                 batch_sampler=None, **named):
        self._tilescope_options, self._size = options, None if batch_size is None else batch_size * options.factor
        self._pieces, self._drops, self._together = None, drop_last, 0
        is_iterable, distributed = isinstance(dataset, IterableDataset), options.Distributed
        if num_workers and persistent_workers is not None:
            named["persistent_workers"] = persistent_workers
        if batch_sampler is not None:
            if batch_size != 1 or shuffle:
                raise Error("`batch_sampler` option is mutually exclusive with `batch_size` and `shuffle`")
            if distributed.numProcesses > 1:
                raise Error("`batch_sampler` option is mutually exclusive with several processes")
            size = getattr(batch_sampler, "batch_size", None)
            self._size = None if size is None else size * options.factor
            self._together = options.factor
            super().__init__(dataset, batch_sampler=batch_sampler, num_workers=num_workers, **named)
            return
        if is_iterable:
            shuffle = None
        elif distributed.numProcesses > 1 and auto_distributed_partitioning and batch_size is not None:
            if shuffle and options.random_seed is None:
                raise Error("Options.randomSeed() must be set to shuffle a data set of which several processes take parts")
            named["sampler"] = _Share(dataset, distributed, self._size, shuffle, options.random_seed or 0, drop_last)
            shuffle = None
        at_once = self._size
        if mode == DataLoaderMode.AsyncRebatched and is_iterable and batch_size is not None:
            at_once = rebatched_worker_size or self._size
            if at_once > self._size:
                raise Error("rebatched_worker_size must be at most the combined batch size, %d" % self._size)
            self._pieces = self._size
        super().__init__(dataset, batch_size=at_once, shuffle=bool(shuffle) if shuffle is not None else None, num_workers=num_workers,
                         drop_last=drop_last if batch_size is not None and self._pieces is None else False, **named)

    options = property(lambda self: self._tilescope_options)
    combinedBatchSize = property(lambda self: self._size)

    def __len__(self):
        if self._pieces is None and not self._together:
            return super().__len__()
        count, size = (super().__len__(), self._together) if self._together else (len(self.dataset), self._pieces)
        return count // size if self._drops else -(-count // size)

    def __iter__(self):
        if self._together > 1:
            return self._several(super().__iter__())
        return super().__iter__() if self._pieces is None else self._rebatched(super().__iter__())

    def _several(self, batches):
        """Joins as many batches of the user's own sampler as a call takes."""
        found = []
        for batch in batches:
            found.append(batch)
            if len(found) == self._together:
                yield _joined(found)
                found = []
        if found and not self._drops:
            yield _joined(found)

    def _rebatched(self, batches):
        """Cuts the batches of the workers into batches of the full size."""
        waiting = None
        for batch in batches:
            waiting = batch if waiting is None else _joined([waiting, batch])
            while _count(waiting) >= self._pieces:
                yield _cut(waiting, 0, self._pieces)
                waiting = _cut(waiting, self._pieces, None)
        if waiting is not None and _count(waiting) and not self._drops:
            yield waiting

    def terminate(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class AsynchronousDataAccessor:
    """Gives the elements of the data set, synchronously."""

    def __init__(self, dataset, *_, **__):
        self._dataset = dataset
        inner = getattr(dataset, "dataset", None)
        if inner is not None and not isinstance(inner, IterableDataset):
            try:
                for index in itertools.islice(getattr(dataset, "sampler", ()), 1):
                    inner[index]
            except Exception as error:
                raise Error("AsynchronousDataAccessor worker thread failed to start: %s" % error) from error

    def __len__(self):
        return len(self._dataset)

    def __iter__(self):
        return iter(self._dataset)

    def terminate(self):
        pass
