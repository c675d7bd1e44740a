/** Ends with 0 where the shop on this machine answers: for containers, which bring no curl. */
const response = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`, {
  signal: AbortSignal.timeout(4000),
}).catch(() => undefined);
process.exit(response?.ok ? 0 : 1);
