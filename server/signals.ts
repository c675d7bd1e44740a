/** What an operator, a terminal or the system ends a process with. */
export const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
