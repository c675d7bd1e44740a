import type { Kysely } from 'kysely';
import { uuidv7 } from 'uuidv7';

type Tables = {
  /** `recipients` are separated by commas; `raw` is the message as it was received. */
  sandbox_mail: { id: string; received_at: number; recipients: string; raw: string };
};

/** The inbox keeps this many messages. */
const maxMessages = 500;

export type ReceivedMail = Tables['sandbox_mail'];
export type Inbox = Awaited<ReturnType<typeof openInbox>>;

/** The stand-in's messages, shared by all processes. */
export async function openInbox(database: Kysely<unknown>) {
  const create = () =>
    database.schema
      .createTable('sandbox_mail')
      .ifNotExists()
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addColumn('recipients', 'text', (column) => column.notNull())
      .addColumn('raw', 'text', (column) => column.notNull())
      .execute();
  // In PostgreSQL, concurrent `create … if not exists` can fail in one process; the retry finds the table.
  await create().catch(create);
  const db = database.withTables<Tables>();
  return {
    async add(recipients: string[], raw: string): Promise<void> {
      await db
        .insertInto('sandbox_mail')
        .values({ id: uuidv7(), received_at: Date.now(), recipients: recipients.join(', '), raw })
        .execute();
      const kept = db.selectFrom('sandbox_mail').select('id').orderBy('id', 'desc').limit(maxMessages);
      await db.deleteFrom('sandbox_mail').where('id', 'not in', kept).execute();
    },
    list: (): Promise<ReceivedMail[]> =>
      db.selectFrom('sandbox_mail').selectAll().orderBy('id', 'desc').execute(),
    find: (id: string): Promise<ReceivedMail | undefined> =>
      db.selectFrom('sandbox_mail').selectAll().where('id', '=', id).executeTakeFirst(),
  };
}
