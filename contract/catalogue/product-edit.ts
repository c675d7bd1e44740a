import { z } from 'zod';
import type { Call } from '../call.ts';
import { deletedCount, id, image, seenVersion, versionedCount } from '../fields.ts';
import { paths } from '../paths.ts';
import { editedFields } from './product-schemas.ts';

/** Images per product. */
export const maxImages = 8;

/** The fields of an edit. Absent fields keep their values. */
export const productEdit = z.object({
  version: seenVersion,
  ...editedFields,
  images: z
    .array(image, 'Images must be a list')
    .min(1, 'Image is Required')
    .max(maxImages, `A product has at most ${maxImages} images`)
    .refine((urls) => new Set(urls).size === urls.length, 'Two images are the same: remove one')
    .optional()
    .describe("URLs of all the product's images, each different; the first becomes `img`."),
  archived: z
    .boolean('Archived must be true or false')
    .optional()
    .describe('True takes the product off sale; false puts it back on sale.'),
});
export type ProductEdit = z.output<typeof productEdit>;

const byId = z.object({ id });

export const productEditCalls = {
  editProduct: {
    ...paths.editProduct,
    summary: 'Edit, archive or restore a product; its orders are unaffected',
    access: 'admin',
    params: byId,
    body: productEdit,
    response: versionedCount,
    conflicts: ['edit_conflict'],
  },
  deleteProduct: {
    ...paths.deleteProduct,
    summary: 'Delete a product; its orders are unaffected',
    access: 'admin',
    params: byId,
    response: deletedCount,
  },
} as const satisfies Record<string, Call>;
