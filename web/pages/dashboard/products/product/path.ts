export const productPath = (id: string): string => `/dashboard/products/${id}`;
