import { Notice } from './notice.tsx';

/** Tells the user that a form was filled in again after they had to sign in. */
export function RestoredNotice({ image = false }: { image?: boolean }) {
  return (
    <Notice>
      You are signed in again, and what you typed is still here.
      {image && ' Choose the image again.'}
    </Notice>
  );
}
