import type { Database } from '../database/database.ts';
import { requireSignedIn } from './recovery/address-change.ts';
import { done, type Handler } from './recovery/recovery.ts';
import { endAccess } from './session-endings.ts';

/**
 * The calls that end a user's sessions. Better Auth's own calls delete only the sessions, and cannot end all other access
 * (`endAccess`) in the same transaction.
 */
export function createRevocations(database: Database): [string, Handler][] {
  const createHandler =
    (keepsOwn: boolean): Handler =>
    async ({ viewer }) => {
      requireSignedIn(viewer);
      const kept = keepsOwn ? viewer.session : '';
      await database.transaction((tx) => endAccess(database, tx, viewer.id, kept));
      return done();
    };
  return [
    ['/revoke-sessions', createHandler(false)],
    ['/revoke-other-sessions', createHandler(true)],
  ];
}
