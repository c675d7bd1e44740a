declare module '*.css';

/** The URL of a drawing. */
declare module '*.svg' {
  const url: string;
  export default url;
}

interface ImportMeta {
  /** Vite replaces it. */
  readonly env: { readonly SSR: boolean };
}
