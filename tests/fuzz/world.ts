import Stripe from 'stripe';
import type { Product } from '../../contract/products.ts';
import type { Person } from '../support/ask.ts';
import { byCookie, byToken } from '../support/ask.ts';
import { buy, confirm, openPayment, placeOrder } from '../support/payments.ts';
import type { TestShop } from '../support/shop.ts';
import type { Plan } from './plan.ts';
import type { Answer, Sent } from './wire.ts';

/** Until it was used so often an order stands for `{{order}}`; then another one does, whatever became of it. */
const mostUses = 12;

/** A shop with people who act in it, and what `{{…}}` of a plan stands for at this moment. */
export async function openWorld(shop: TestShop, noteProducts: () => Promise<void>) {
  const customer = await shop.signUp();
  const admin = await shop.admin();
  const stranger = await shop.signUp('Eve');
  const { webhooks } = new Stripe('sk_test_none');
  const secret = shop.stripe.webhookSecret;

  let product: Promise<Product> | undefined;
  let uses = 0;
  const made = new Map<string, Promise<string>>();
  const getProduct = () => (product ??= addProduct());
  async function addProduct(): Promise<Product> {
    const added = await shop.addProduct({ price: 2, a_quantity: 1_000_000 });
    await noteProducts();
    return added;
  }
  const forget = () => {
    uses = 0;
    made.clear();
  };

  /** Made once for each person, until it is forgotten. */
  function once(name: string, person: Person, make: () => Promise<string>): Promise<string> {
    const key = `${name} ${person.email}`;
    const found = made.get(key) ?? make();
    made.set(key, found);
    return found;
  }
  const orderOf = (person: Person) =>
    once('order', person, async () => (await placeOrder(shop, person, await getProduct()))._id);

  const facts: Record<string, (person: Person) => Promise<string>> = {
    email: async ({ email }) => email,
    stranger: async () => stranger.email,
    product: async () => (await getProduct())._id,
    image: async () => (await getProduct()).img,
    order: orderOf,
    foreign: () => orderOf(stranger),
    paid: (person) =>
      once('paid', person, async () => (await buy(shop, person, await getProduct())).order._id),
    intent: (person) =>
      once('intent', person, async () => {
        const order = await shop.client(person).call('getOrder', { params: { id: await orderOf(person) } });
        const intent = await openPayment(shop, person, order);
        await confirm(shop, intent);
        return intent.id;
      }),
  };

  async function fill(text: string, person: Person): Promise<string> {
    let filled = text;
    for (const [token, name = ''] of text.matchAll(/\{\{(\w+)\}\}/g)) {
      const fact = Object.hasOwn(facts, name) ? facts[name] : undefined;
      if (!fact) continue;
      // What it rests on may have been deleted, paid or ended by a plan before this one.
      const value = await fact(person).catch(() => {
        forget();
        product = undefined;
        return fact(person);
      });
      filled = filled.replace(token, () => value);
    }
    return filled;
  }

  return {
    people: { customer, admin, stranger },

    /** The plan as it goes over the wire. */
    async prepare(plan: Plan): Promise<Sent> {
      if (++uses > mostUses) forget();
      const person = plan.sender === 'admin' ? admin : customer;
      const credentials = plan.way === 'cookie' ? byCookie(person) : byToken(person);
      const body = plan.body === undefined ? undefined : await fill(plan.body, person);
      const headers: Record<string, string> = {
        origin: shop.origin,
        ...(plan.sender === 'nobody' ? {} : credentials),
        ...plan.headers,
      };
      if (headers['stripe-signature'] === '{{signature}}')
        headers['stripe-signature'] = webhooks.generateTestHeaderString({ payload: body ?? '', secret });
      return {
        method: plan.method,
        path: await fill(plan.path, person),
        headers,
        ...(body === undefined ? {} : { body: Buffer.from(body, plan.encoding) }),
      };
    },

    /** Takes note of what an answer has changed. */
    note({ method, path }: Sent, { status }: Answer): void {
      if (status >= 300 || method === 'GET' || method === 'POST') return;
      forget();
      if (path.startsWith('/api/products')) product = undefined;
    },
  };
}
