declare module '*.css';

interface ImportMeta {
  /** Vite replaces it. */
  readonly env: { readonly SSR: boolean };
}
