import { Notice } from './notice.tsx';

/** Over a form that was filled again after somebody had to sign in anew. */
export function Restored({ picture = false }: { picture?: boolean }) {
  return (
    <Notice>
      You are signed in again, and what you typed is still here.
      {picture && ' Only the picture has to be chosen again.'}
    </Notice>
  );
}
