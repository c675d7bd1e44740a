import { z } from 'zod';
import type { Call } from '../call.ts';
import { deletedCount, id, insertedId, modifiedCount } from '../fields.ts';
import { paths } from '../paths.ts';
import { maxAddresses } from './address-format.ts';
import { postalAddress } from './addresses.ts';

const storedAddress = postalAddress.extend({ _id: z.string() });

export const addressBookCalls = {
  listAddresses: {
    ...paths.listAddresses,
    summary: 'List the addresses of your address book, the newest first',
    access: 'signed-in',
    response: z.array(storedAddress),
  },
  addAddress: {
    ...paths.addAddress,
    summary: `Add an address to your address book; it has at most ${maxAddresses}`,
    access: 'signed-in',
    body: postalAddress,
    idempotent: true,
    status: 201,
    response: insertedId,
    conflicts: ['address_book_full'],
  },
  changeAddress: {
    ...paths.changeAddress,
    summary: 'Replace an address of your address book; orders keep theirs',
    access: 'signed-in',
    params: z.object({ id }),
    body: postalAddress,
    response: modifiedCount,
  },
  removeAddress: {
    ...paths.removeAddress,
    summary: 'Remove an address from your address book; orders keep theirs',
    access: 'signed-in',
    params: z.object({ id }),
    response: deletedCount,
  },
} as const satisfies Record<string, Call>;
