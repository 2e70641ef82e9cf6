// Facts about a tensor that a library keeps beside it.
#pragma once

#include <memory>

namespace poputil {

class TensorMetaDataBase {
public:
  virtual ~TensorMetaDataBase();
};

class TensorMetaData {
public:
  TensorMetaData() = default;
  TensorMetaData(std::shared_ptr<const TensorMetaDataBase> data) : m_data(std::move(data)) {}
  const TensorMetaDataBase* getData() const { return m_data.get(); }

private:
  std::shared_ptr<const TensorMetaDataBase> m_data;
};

} // namespace poputil
