import type { ReactNode } from 'react';

type Answer = { id: string; question: string; body: ReactNode };

export const answers: Answer[] = [
  {
    id: 'server-rendering',
    question: 'What are the benefits of rendering a page on the server?',
    body: (
      <>
        <p>
          An earlier first paint, and a page that works before its script does. A page that is rendered in the
          browser arrives as an empty frame: the browser fetches a script, runs it, learns which data it
          needs, requests that data, and only then has something to show. Each step waits for the one before
          it. A page that is rendered on the server arrives with its text and prices after a single round
          trip.
        </p>
        <p>
          The cost is that every page must run in two places. Code that reads the window, the clock or local
          storage while it renders produces one result on the server and another in the browser. Do this in
          effects and event handlers instead, and both render the same.
        </p>
        <p>
          It is worth it for pages that people reach from elsewhere. For a tool that someone keeps open all
          day, the first paint matters less, and rendering in the browser is simpler.
        </p>
      </>
    ),
  },
  {
    id: 'cookie-or-token',
    question: 'Where should a session be stored: in a cookie or in local storage?',
    body: (
      <>
        <p>
          Prefer a cookie marked <code>HttpOnly</code>, <code>Secure</code> and <code>SameSite=Lax</code>. No
          script can read it, so an injected script can act while the page is open but cannot steal the
          session. Local storage can be read by every script on the origin at any time.
        </p>
        <p>
          A cookie has a weakness of its own: the browser also attaches it to requests that other sites make.{' '}
          <code>SameSite</code> stops most of them, and checking the <code>Origin</code> header of every
          state-changing request stops the rest. A bearer token is never sent automatically, which is why
          programs other than browsers use one.
        </p>
        <p>
          In either case, the server should look up the session rather than trust its contents. Then signing
          out, changing a password or revoking a role takes effect with the next request.
        </p>
      </>
    ),
  },
  {
    id: 'money',
    question: 'Why should a program not store prices as floating-point numbers?',
    body: (
      <>
        <p>
          Because most decimal fractions have no exact binary representation. <code>0.1 + 0.2</code> gives{' '}
          <code>0.30000000000000004</code>, but a total must equal the amount that the bank has charged, not
          almost equal it. The errors are tiny, they add up over many lines, and they surface in the one
          comparison that someone forgot to round.
        </p>
        <p>
          Count the smallest unit instead. Twelve dollars fifty is 1,250 cents: an integer, exact in every
          language and database below nine quadrillion. Convert once on input and once on output, and store
          the currency with the number, since some currencies have no decimals and some have three.
        </p>
      </>
    ),
  },
  {
    id: 'twice',
    question: 'How do you keep a double click from placing two orders?',
    body: (
      <>
        <p>
          Disabling the button helps the customer, but it does not protect you. The request may have arrived
          and only the response been lost. The customer sees an error and presses the button again, and the
          server cannot tell this order from a new one.
        </p>
        <p>
          So let the page create a random key for the form and send it with the order. The server stores the
          key with the order, in the same transaction. When the same key arrives again, the server returns the
          first response and does nothing else. This is an idempotency key, and payment providers accept one
          for the same reason.
        </p>
        <p>
          Two people who buy the last piece at the same moment are a different problem. There the database
          must decide, in one statement that takes the stock only if enough is left.
        </p>
      </>
    ),
  },
  {
    id: 'accessible',
    question: 'What makes a web page accessible, before any special effort?',
    body: (
      <>
        <p>
          Using elements for their purpose. A link goes somewhere, a button does something, a label belongs to
          a field, and headings form an outline. The browser then provides keyboard support, focus, names and
          roles for free, in every browser and with every screen reader, and they keep working after the next
          redesign.
        </p>
        <p>
          The rest is mostly attention: enough contrast, a visible focus, errors in words beside their field,
          nothing expressed by colour alone, and a page that still works on a phone when zoomed to twice its
          size.
        </p>
        <p>
          Then put the mouse away and buy something from your own shop. Those five minutes teach you what no
          tool reports.
        </p>
      </>
    ),
  },
];
