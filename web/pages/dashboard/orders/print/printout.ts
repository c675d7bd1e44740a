import type { LoaderFunctionArgs } from 'react-router';
import type { Printout } from '../../../../../contract/orders/printing.ts';
import { loaderContext } from '../../../../client/route-context.ts';

/** Loads the printout. `?orders=` may be repeated, as a plain form sends it, or hold a comma-separated list. */
export function loadPrintout({ request, context }: LoaderFunctionArgs): Promise<Printout> {
  const orders = new URL(request.url).searchParams.getAll('orders').join(',');
  return context.get(loaderContext).client.call('getPrintout', { query: { orders } });
}
