/** The signals by which an operator, a terminal or the system asks a process to end. */
export const shutdownSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
