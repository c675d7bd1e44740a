// Stops the server if `npm run dev` is killed.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

import '../../server/main.ts';
