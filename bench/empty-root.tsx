import { hydrateRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';

/** The minimal page that `phone.ts` compares the home page with: an empty root, hydrated with the router. */
const router = createBrowserRouter([{ path: '*', Component: () => null }], { hydrationData: {} });
const root = document.getElementById('root');
if (root) hydrateRoot(root, <RouterProvider router={router} />);
