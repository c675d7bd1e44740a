// In its own file, so that pages do not load the schemas.

export const chargeNames = { delivery: 'Delivery' } as const;
