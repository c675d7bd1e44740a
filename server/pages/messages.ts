import type {
  CallParts,
  IdentityAnswer,
  Manifest,
  PostedForm,
  RenderedPage,
  Viewer,
  WebSettings,
} from '../../contract/pages.ts';
import type { CallName } from '../../contract/paths.ts';
import type { Encoding } from '../encoding.ts';

// What the event loop and the threads that render pages say to each other.

/** What a thread begins with: the folder of the build, and where Node keeps compiled code, if it does. */
export type Given = { root: string; manifest: Manifest; compileCache: string | undefined };

/** What one page is made with, beside what its loaders ask for. */
export type Asked = {
  settings: WebSettings;
  url: string;
  requestId: string;
  viewer: Viewer | undefined;
  encoding: Encoding;
  /** The form that was posted to it. */
  form?: PostedForm | undefined;
};

/** A page as it is sent, in UTF-8. */
export type Page = Omit<RenderedPage, 'html'> & { body: Uint8Array<ArrayBuffer>; encoding: Encoding };

/** What a thread does, and what it calls meanwhile, for the page with that number. */
export type Thread = { ready: () => void; render: (page: number, asked: Asked) => Promise<Page> };
export type Host = {
  /** A GET call of the contract. */
  ask: (page: number, name: CallName, given: CallParts) => Promise<unknown>;
  /** Any call of the contract, for the form that was posted to the page. */
  callForForm: (page: number, name: CallName, given: CallParts) => Promise<unknown>;
  /** A call of the identity service, for the form that was posted to the page. */
  askIdentity: (page: number, path: string, body: object) => Promise<IdentityAnswer>;
  /** A page wrote to the console, at the place in the error's stack. */
  reportOutput: (place: Error) => void;
};

/**
 * For birpc: what cannot be sent as the answer to a call is refused with the reason, where it would else reach nobody and
 * end the thread, or the shop. A call that was refused comes by here, too, without a name, and is left as it is.
 */
export const passOn = (_: unknown, call?: string): boolean => call !== undefined;
