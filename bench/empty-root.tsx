import { hydrateRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';

/** All that `phone.ts` compares the home page's work with: a root with nothing in it, hydrated with the router. */
const router = createBrowserRouter([{ path: '*', Component: () => null }], { hydrationData: {} });
const root = document.getElementById('root');
if (root) hydrateRoot(root, <RouterProvider router={router} />);
