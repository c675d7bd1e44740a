import { useLoaderData } from 'react-router';
import { PageHeading } from '../../../components/page-heading.tsx';
import { requireSigningIn } from './profile/require-signing-in.ts';
import { SessionList } from './profile/session-list.tsx';
import { SigningIn } from './profile/signing-in.tsx';
import { YourData } from './profile/your-data.tsx';

export const loader = requireSigningIn;

/** The parts of an admin's profile that would make the overview's page too long. */
export function Component() {
  const { viewer, signsInWith } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeading
        title="Sign-in and security"
        description="How you sign in, where you are signed in, and your data."
      />
      <SigningIn viewer={viewer} signsInWith={signsInWith} />
      {/* A changed password renews this session and ends the others. */}
      <SessionList key={viewer.session} />
      <YourData email={viewer.email} />
    </>
  );
}
