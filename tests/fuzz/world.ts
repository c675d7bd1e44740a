import Stripe from 'stripe';
import type { Product } from '../../contract/catalogue/products.ts';
import { buy, confirmIntent, openPayment, placeOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { cookieHeaders, tokenHeaders } from '../support/requests.ts';
import type { TestShop } from '../support/shop.ts';
import type { Plan } from './plan.ts';
import type { ReceivedResponse, SentRequest } from './raw-client.ts';

/** After this many plans, `{{order}}` stands for a new order. */
const maxUsesPerOrder = 12;

/** Signs up users and fills the placeholders of plans with existing data. */
export async function prepareShop(shop: TestShop, recordProducts: () => Promise<void>) {
  const customer = await shop.signUp();
  const admin = await shop.admin();
  const stranger = await shop.signUp('Eve');
  const bystander = await shop.admin('Bea');
  // Only users with a confirmed address can review products.
  await shop.database.db.updateTable('user').set({ emailVerified: true }).execute();
  const { webhooks } = new Stripe('sk_test_none');
  const secret = shop.stripe.webhookSecret;

  let product: Promise<Product> | undefined;
  let uses = 0;
  const values = new Map<string, Promise<string>>();
  const getProduct = () => (product ??= addProduct());
  async function addProduct(): Promise<Product> {
    const added = await shop.addProduct({ price: 2, a_quantity: 1_000_000 });
    await recordProducts();
    return added;
  }
  const clearValues = () => {
    uses = 0;
    values.clear();
  };

  /** Returns the user's stored value of this name. Creates it if there is none. */
  function getOrCreate(name: string, person: TestUser, make: () => Promise<string>): Promise<string> {
    const key = `${name} ${person.email}`;
    const found = values.get(key) ?? make();
    values.set(key, found);
    return found;
  }
  const getOrderId = (person: TestUser) =>
    getOrCreate('order', person, async () => (await placeOrder(shop, person, await getProduct()))._id);

  const placeholders: Record<string, (person: TestUser) => Promise<string>> = {
    email: async ({ email }) => email,
    stranger: async () => stranger.email,
    bystander: async () => bystander.email,
    product: async () => (await getProduct())._id,
    image: async () => (await getProduct()).img,
    order: getOrderId,
    review: (person) =>
      getOrCreate('review', person, async () => {
        const { _id, img } = await getProduct();
        const body = { product: _id, rating: 4, reviews: 'True.', img };
        return (await shop.client(person).call('addReview', { body })).insertedId;
      }),
    foreign: () => getOrderId(stranger),
    paid: (person) =>
      getOrCreate('paid', person, async () => (await buy(shop, person, await getProduct())).order._id),
    intent: (person) =>
      getOrCreate('intent', person, async () => {
        const order = await shop
          .client(person)
          .call('getOrder', { params: { id: await getOrderId(person) } });
        const intent = await openPayment(shop, person, order);
        await confirmIntent(shop, intent);
        return intent.id;
      }),
  };

  async function fillPlaceholders(text: string, person: TestUser): Promise<string> {
    let filled = text;
    for (const [token, name = ''] of text.matchAll(/\{\{(\w+)\}\}/g)) {
      const create = Object.hasOwn(placeholders, name) ? placeholders[name] : undefined;
      if (!create) continue;
      // An earlier plan may have deleted, paid or signed out what this needs.
      const value = await create(person).catch(() => {
        clearValues();
        product = undefined;
        return create(person);
      });
      filled = filled.replace(token, () => value);
    }
    return filled;
  }

  return {
    people: { customer, admin, stranger },

    /** Fills a plan's placeholders and adds the sender's credentials. */
    async prepare(plan: Plan): Promise<SentRequest> {
      if (++uses > maxUsesPerOrder) clearValues();
      const person = plan.sender === 'admin' ? admin : customer;
      const credentials = plan.credential === 'cookie' ? cookieHeaders(person) : tokenHeaders(person);
      const body = plan.body === undefined ? undefined : await fillPlaceholders(plan.body, person);
      const headers: Record<string, string> = {
        origin: shop.origin,
        ...(plan.sender === 'anonymous' ? {} : credentials),
        ...plan.headers,
      };
      if (headers['stripe-signature'] === '{{signature}}')
        headers['stripe-signature'] = webhooks.generateTestHeaderString({ payload: body ?? '', secret });
      return {
        method: plan.method,
        path: await fillPlaceholders(plan.path, person),
        headers,
        ...(body === undefined ? {} : { body: Buffer.from(body, plan.encoding) }),
      };
    },

    /** Forgets data that a request may have changed. */
    forgetChanged({ method, path }: SentRequest, { status }: ReceivedResponse): void {
      if (status >= 300 || method === 'GET' || method === 'POST') return;
      clearValues();
      if (path.startsWith('/api/products')) product = undefined;
    },
  };
}
