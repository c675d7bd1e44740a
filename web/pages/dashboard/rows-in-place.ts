import { useState } from 'react';

/** The rows of a list. `update` replaces rows with newer versions, in place: no row moves until the list is loaded again. */
export function useRowsInPlace<Row extends { _id: string }>(loadedRows: Row[]) {
  const [loaded, setLoaded] = useState(loadedRows);
  const [updated, setUpdated] = useState<ReadonlyMap<string, Row>>(new Map());
  if (loaded !== loadedRows) {
    setLoaded(loadedRows);
    setUpdated(new Map());
  }
  return {
    rows: loadedRows.map((row) => updated.get(row._id) ?? row),
    update: (rows: readonly Row[]) =>
      setUpdated((before) => new Map([...before, ...rows.map((row) => [row._id, row] as const)])),
  };
}
