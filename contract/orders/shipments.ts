import { z } from 'zod';
import type { Call } from '../call.ts';
import { deletedCount, id, insertedId, quantity, seenVersion } from '../fields.ts';
import { paths } from '../paths.ts';
import { shipmentFields } from './shipping.ts';

/** A parcel has at most this many lines. */
const maxParcelLines = 100;

const versions = z.record(id, seenVersion);
const currentVersions = z
  .record(z.string(), z.int())
  .describe('The current version of each purchase, by its id.');

/** The body of `shipParcel`. */
export const newShipment = shipmentFields
  .pick({ carrier: true, trackingNumber: true, trackingUrl: true, sharedNumber: true, anyway: true })
  .extend({
    lines: z
      .array(z.object({ order: id, quantity: quantity('Pieces') }))
      .min(1, 'Choose what to ship')
      .max(maxParcelLines, `A parcel can have at most ${maxParcelLines} lines`)
      .refine(
        (lines) => new Set(lines.map(({ order }) => order)).size === lines.length,
        'List each order only once',
      )
      .describe('Orders of one customer that go to the same address, and how many pieces of each.'),
    versions: versions.describe(
      "The version that you have seen of each order's purchase, by the purchase's id. If any version is no longer current, nothing changes (409).",
    ),
  });
export type NewShipment = z.output<typeof newShipment>;

export const shipmentCalls = {
  shipParcel: {
    ...paths.shipParcel,
    summary: 'Ship pieces of one or more orders of one customer as one parcel',
    access: 'admin',
    body: newShipment,
    idempotent: true,
    status: 201,
    response: insertedId.extend({ versions: currentVersions }),
    errors: [404],
    conflicts: ['not_paid', 'purchase_changed', 'over_shipment', 'shared_number', 'conflict'],
  },
  undoShipment: {
    ...paths.undoShipment,
    summary: 'Take a parcel back within a minute of shipping it, before the customer is notified',
    access: 'admin',
    params: z.object({ id }),
    response: deletedCount.extend({ versions: currentVersions }),
    conflicts: ['conflict'],
  },
} as const satisfies Record<string, Call>;
