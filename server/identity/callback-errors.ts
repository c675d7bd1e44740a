/**
 * The known values of `?error=` after a failed sign-in with Google: Better Auth's codes, and those that a provider may
 * send (RFC 6749, 4.1.2.1). Anything else may be a visitor's own text.
 */
export const callbackErrors: ReadonlySet<string> = new Set([
  ...['account_already_linked_to_different_user', 'account_not_linked', 'email_does_not_match'],
  ...['email_not_found', 'email_not_verified', 'internal_server_error', 'invalid_callback_request'],
  ...['invalid_code', 'issuer_mismatch', 'issuer_missing', 'no_callback_url', 'no_code'],
  ...['nonce_binding_missing', 'oauth_provider_not_found', 'state_invalid', 'state_mismatch'],
  ...['state_not_found', 'unable_to_create_session', 'unable_to_create_user', 'unable_to_get_user_info'],
  ...['unable_to_link_account', 'unable_to_update_account'],
  ...['access_denied', 'invalid_request', 'invalid_scope', 'server_error', 'temporarily_unavailable'],
  ...['unauthorized_client', 'unsupported_response_type'],
]);
