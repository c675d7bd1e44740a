import type { Adapter, AdapterPayload } from 'oidc-provider';
import { InvalidGrant } from 'oidc-provider/lib/helpers/errors.js';
import type { GoogleDatabase } from './tables.ts';

/**
 * Stores the provider's records of one kind (interactions, codes, tokens, grants) in the database. Sessions are not
 * stored: every sign-in shows the account page, so switching accounts needs no sign-out.
 */
export function createAdapter(db: GoogleDatabase, kind: string): Adapter {
  return {
    async upsert(id, payload, expiresIn = 3600) {
      if (kind === 'Session') return;
      // Each sign-in starts with an interaction, so expired records are deleted here.
      if (kind === 'Interaction') {
        await db.deleteFrom('google_record').where('expires_at', '<=', Date.now()).execute();
      }
      const row = {
        payload: JSON.stringify(payload),
        grant_id: payload.grantId ?? null,
        expires_at: Date.now() + expiresIn * 1000,
      };
      await db
        .insertInto('google_record')
        .values({ kind, id, ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(row))
        .execute();
    },

    async find(id) {
      const row = await db
        .selectFrom('google_record')
        .select(['payload', 'consumed_at'])
        .where((is) => is.and({ kind, id }))
        .where('expires_at', '>', Date.now())
        .executeTakeFirst();
      if (!row) return undefined;
      const payload: AdapterPayload = JSON.parse(row.payload);
      return row.consumed_at === null ? payload : { ...payload, consumed: row.consumed_at };
    },

    async consume(id) {
      const { numUpdatedRows } = await db
        .updateTable('google_record')
        .set({ consumed_at: Date.now() })
        .where((is) => is.and({ kind, id }))
        .where('consumed_at', 'is', null)
        .executeTakeFirst();
      // Two requests may both have found the code unused; only one of them gets tokens.
      if (numUpdatedRows === 0n) throw new InvalidGrant('already consumed');
    },

    async destroy(id) {
      await db
        .deleteFrom('google_record')
        .where((is) => is.and({ kind, id }))
        .execute();
    },

    async revokeByGrantId(grant_id) {
      await db
        .deleteFrom('google_record')
        .where((is) => is.and({ kind, grant_id }))
        .execute();
    },

    // Only the device flow (disabled) and sessions (not stored) use these.
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
  };
}
