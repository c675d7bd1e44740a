import { z } from 'zod';
import type { Call } from '../call.ts';
import { optionalText, quantity, seenVersion, singleLineRule, text, versionedCount } from '../fields.ts';
import { paths } from '../paths.ts';
import { type PromiseName, promiseNames } from '../promises.ts';

/** The seller, as packing slips and invoices show it. */
export const seller = z.object({
  name: text('Name', 100).refine(...singleLineRule('Name')),
  address: optionalText('Address', 500).describe('Several lines.'),
  taxId: optionalText('Tax number', 50)
    .refine(...singleLineRule('Tax number'))
    .describe('Including the kind of number, such as `VAT GB 123 4567 89`.'),
});
export type Seller = z.output<typeof seller>;

/** A word, an equals sign, and the words that it also finds. An empty line is allowed. */
const synonymLine = /^\s*([\p{L}\p{M}\p{N}]+\s*=[^=\p{L}\p{N}]*[\p{L}\p{N}][^=]*)?$/u;

const promise = (label: string, meaning: string) =>
  optionalText(label, 120)
    .refine(...singleLineRule(label))
    .describe(meaning);

const promiseShown = (name: string) =>
  z.boolean().default(false).describe(`Whether customers see \`${name}\`, which then must not be empty.`);

const shopDetails = seller.extend({
  delivery: promise('Delivery', 'One sentence about delivery, such as `Sent within two working days`.'),
  deliveryShown: promiseShown('delivery'),
  returns: promise('Returns', 'One sentence about returns, such as `Send it back within 30 days`.'),
  returnsShown: promiseShown('returns'),
  returnDays: quantity('Days for returns')
    .nullable()
    .default(null)
    .describe(
      'The number of days in `returns`, for search engines. They get no return policy if it is null or if the last line of `address` is not a country, in English.',
    ),
  guarantee: promise('Guarantee', 'One sentence about the guarantee, such as `Two years on every tool`.'),
  guaranteeShown: promiseShown('guarantee'),
  synonyms: optionalText('Search synonyms', 2000)
    .refine(
      (lines) => lines.split('\n').every((line) => synonymLine.test(line)),
      'Search synonyms must be lines such as “magnifier = loupe”',
    )
    .describe(
      'On each line, a word and the other words that a search for it finds, too, such as `magnifier = loupe, eyeglass`.',
    ),
});
export type ShopDetails = z.output<typeof shopDetails>;

export const shopDetailsFields = shopDetails.keyof().options;

const versionedDetails = shopDetails.extend({
  version: z.int().describe('Counts the edits. Send it back with an edit.'),
  environment: seller.describe(
    'The values of `SHOP_NAME`, `SHOP_ADDRESS` and `SHOP_TAX_ID`, which apply until an admin replaces them.',
  ),
});
export type VersionedDetails = z.output<typeof versionedDetails>;

const promiseNouns: Record<PromiseName, string> = {
  delivery: 'delivery promise',
  returns: 'returns promise',
  guarantee: 'guarantee',
};

/** A value equal to the environment's is not stored, so later changes to the variable still apply. */
export const shopDetailsEdit = shopDetails
  .extend({
    version: seenVersion,
  })
  .superRefine((edit, { addIssue }) => {
    for (const name of promiseNames)
      if (edit[`${name}Shown`] && edit[name] === '')
        addIssue({
          code: 'custom',
          path: [name],
          message: `Write the ${promiseNouns[name]} before you show it`,
        });
  });
export type ShopDetailsEdit = z.output<typeof shopDetailsEdit>;

export const shopDetailsCalls = {
  getShopDetails: {
    ...paths.getShopDetails,
    summary:
      "Get the seller's name, address and tax number, the promises to customers, and the search's synonyms",
    access: 'admin',
    response: versionedDetails,
  },
  saveShopDetails: {
    ...paths.saveShopDetails,
    summary:
      "Save the seller's name, address and tax number, the promises to customers, and the search's synonyms",
    access: 'admin',
    body: shopDetailsEdit,
    response: versionedCount,
    conflicts: ['edit_conflict'],
  },
} as const satisfies Record<string, Call>;
