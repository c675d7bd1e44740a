/** The person who acted, as the columns of every table that records an action; null and '' for customers and the shop. */
export type Actor = {
  /** The admin's id, even once the account is deleted; null for commands. */
  actor_id: string | null;
  /** The admin's email address at the time, or a description. */
  actor: string;
};

export const toActor = ({ id, email }: { id: string; email: string }) => ({ actor_id: id, actor: email });

/** The actor of changes made by a command on the server's machine. */
export const commandLine: Actor = { actor_id: null, actor: 'the command line' };
/** The actor of changes that the shop makes by itself after a backup was restored. */
export const shopItself: Actor = { actor_id: null, actor: 'the shop' };
