// In its own file, so that the import page does not load the schemas.

/** The columns of an export, in order. An import accepts them in any order. */
export const exportColumns = [
  'id',
  'version',
  'name',
  'price',
  'o_quantity',
  'a_quantity',
  'delivery',
  'category',
  'lowStock',
  'archived',
  'images',
  'description',
] as const;

export const maxImportBytes = 20_000_000;
export const maxImportRows = 20_000;
