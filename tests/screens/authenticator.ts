import type { Page } from 'playwright-core';

/** Gives the page's browser an authenticator like that of a phone with a fingerprint reader. */
export async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    refuseUser: () => devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }),
  };
}
