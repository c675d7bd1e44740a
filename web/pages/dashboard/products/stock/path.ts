import { productPath } from '../product/path.ts';

export const stockPath = (id: string): string => `${productPath(id)}/stock`;
