export type Sender = 'nobody' | 'customer' | 'admin';

/**
 * A request before it is sent. `{{order}}` and the like in path and body stand for what there is by then
 * (`world.ts`), so that a plan means the same when it is tried again.
 */
export type Plan = {
  sender: Sender;
  way: 'cookie' | 'token';
  method: string;
  /** As it stands on the wire. */
  path: string;
  /** They replace those that the sender would send. */
  headers: Record<string, string>;
  body?: string;
  /** How the body's text becomes bytes. */
  encoding: BufferEncoding;
};
