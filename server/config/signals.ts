/** The signals with which an operator, a terminal or the system stops a process. */
export const shutdownSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
