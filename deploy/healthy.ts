/** The container's health check, since the image has no curl. Exits with 0 if the shop is healthy. */
const response = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`, {
  signal: AbortSignal.timeout(4000),
}).catch(() => undefined);
process.exit(response?.ok ? 0 : 1);
