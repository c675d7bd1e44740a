export type Sender = 'anonymous' | 'customer' | 'admin';

/**
 * A request to be sent. Placeholders such as `{{order}}` in path and body are filled just before sending (`world.ts`), so
 * that a plan can be repeated while fast-check shrinks it.
 */
export type Plan = {
  sender: Sender;
  credential: 'cookie' | 'token';
  method: string;
  /** Sent unchanged. */
  path: string;
  /** Override the sender's headers. */
  headers: Record<string, string>;
  body?: string;
  encoding: BufferEncoding;
};
