import type { ReactNode } from 'react';

type Answer = { id: string; question: string; body: ReactNode };

export const answers: Answer[] = [
  {
    id: 'server-rendering',
    question: 'What does rendering a page on the server buy?',
    body: (
      <>
        <p>
          Time to the first useful picture, and a page that works before its script does. A page that is
          rendered in the browser arrives as an empty frame: the browser fetches a script, runs it, learns
          which data it needs, asks for them, and only then has something to show. Each of those steps waits
          for the one before. Rendered on the server, the same page arrives with its text and prices in it,
          after one journey.
        </p>
        <p>
          The price is that every page must be able to run in two places. Code that reads the window, the
          clock or local storage while it renders will print one thing on the server and another in the
          browser, and the two must be reconciled. Keep such reading in effects and event handlers, and the
          seam disappears.
        </p>
        <p>
          It is worth it for pages that people arrive at from outside. For a tool that somebody keeps open all
          day, the first picture matters less, and rendering in the browser is the simpler choice.
        </p>
      </>
    ),
  },
  {
    id: 'cookie-or-token',
    question: 'Where should a sign-in be kept: in a cookie or in local storage?',
    body: (
      <>
        <p>
          Prefer a cookie marked <code>HttpOnly</code>, <code>Secure</code> and <code>SameSite=Lax</code>. No
          script can read it, so a script that somebody smuggles into a page can act while the page is open
          but cannot carry the session away. Local storage is readable by every script on the origin, for as
          long as it lies there.
        </p>
        <p>
          A cookie has a weakness of its own: the browser attaches it to requests that other sites provoke.{' '}
          <code>SameSite</code> stops most of them, and checking the <code>Origin</code> header of every
          changing request stops the rest. A bearer token is not sent by itself, which is why programs that
          are not browsers use one.
        </p>
        <p>
          Whichever it is, the server should look the session up rather than trust what is written in it. Then
          signing out, changing a password or taking a role away acts on the very next request.
        </p>
      </>
    ),
  },
  {
    id: 'money',
    question: 'Why should a program not keep prices as floating-point numbers?',
    body: (
      <>
        <p>
          Because most decimal fractions do not exist in binary. <code>0.1 + 0.2</code> gives{' '}
          <code>0.30000000000000004</code>, and a total that is compared with an amount that a bank has
          charged must be equal, not nearly so. The errors are tiny, they add up over many lines, and they
          show themselves in the one comparison that somebody forgot to round.
        </p>
        <p>
          Count the smallest unit instead. Twelve dollars fifty is 1,250 cents: an integer, exact in every
          language and in every database, as long as it stays below nine quadrillion. Convert once on the way
          in, once on the way out, and keep the currency beside the number, since some currencies have no
          decimals and some have three.
        </p>
      </>
    ),
  },
  {
    id: 'twice',
    question: 'How do you keep a double click from becoming two orders?',
    body: (
      <>
        <p>
          Disabling the button is courtesy, not protection. The request may have arrived and only its answer
          been lost; the customer, looking at an error, presses again, and from the server's side that is a
          second order that is as good as the first.
        </p>
        <p>
          So let the browser make up a random key when the form is filled and send it along. The server stores
          the key with the order, in the same transaction. When the key comes again, it answers what it
          answered the first time and does nothing more. That is what an idempotency key is, and payment
          providers take one for the same reason.
        </p>
        <p>
          Two people who buy the last piece at the same moment are another matter. There the database must
          decide, in one statement that takes the stock only if there is enough of it.
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
          Using elements for what they are. A link goes somewhere, a button does something, a label belongs to
          a field, headings make an outline. The browser then brings the keyboard, the focus, the names and
          the roles for nothing, in every browser and with every screen reader, and they go on working when
          the next release restyles everything.
        </p>
        <p>
          What remains is mostly attention: text of enough contrast on its ground, a visible focus, errors
          that are said in words beside their field, nothing told by colour alone, and a page that survives
          being zoomed to twice its size on a phone.
        </p>
        <p>
          Then put the mouse away and buy something from your own shop. What you learn in those five minutes
          no tool will report.
        </p>
      </>
    ),
  },
];
