/**
 * The button that Enter presses, first in a form whose other first button does something else. It is rendered, because Safari skips
 * one that is not.
 */
export const DefaultButton = () => (
  <button type="submit" tabIndex={-1} aria-hidden="true" className="sr-only" />
);
