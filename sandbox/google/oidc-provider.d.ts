// The package's main entry warns on the console about any Node that is not a long-term release; ours is
// pinned and tested. So its parts are imported one by one, with the types of the whole.
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}
declare module 'oidc-provider/lib/helpers/errors.js' {
  import type { errors } from 'oidc-provider';
  export const InvalidGrant: typeof errors.InvalidGrant;
  export const SessionNotFound: typeof errors.SessionNotFound;
}
declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import type { interactionPolicy } from 'oidc-provider';
  export const Prompt: typeof interactionPolicy.Prompt;
  export const base: typeof interactionPolicy.base;
}
