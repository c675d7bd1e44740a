/**
 * The addresses of all pages; no other file repeats them. Each is a constant of its own, because the build inlines strings: a
 * page loads only the addresses that it uses. A plural name, such as `purchasePages`, is a prefix that an id follows.
 */

export const homePage = '/';
export const blogsPage = '/blogs';
export const productsPage = '/products';
/** Followed by the product's id. */
export const purchasePages = '/purchase';
export const portfolioPage = '/myPortfolio';
export const basketPage = '/basket';
export const loginPage = '/login';
export const loginCodePage = '/login/code';
export const signUpPage = '/signup';
/** Without scripts, the sign-out button posts here. */
export const signOutPage = '/sign-out';
export const forgotPasswordPage = '/forgot-password';
export const resetPasswordPage = '/reset-password';
export const confirmAddressPage = '/confirm-address';
export const changeAddressPage = '/change-address';
export const accountDeletedPage = '/account-deleted';
/** The delivery costs, for customers. */
export const deliveryPage = '/delivery';
export const contactPage = '/contact';
export const newsletterPage = '/newsletter';
export const confirmSubscriptionPage = '/newsletter/confirm';
/** Ends a subscription. It also receives the one-click POST of mail programs (RFC 8058). */
export const unsubscribePage = '/newsletter/unsubscribe';
export const stopBackInStockPage = '/back-in-stock/stop';
export const apiDocsPage = '/api/docs';

/** A customer's profile, or an admin's overview. */
export const dashboardPage = '/dashboard';
/** Redirects to the profile. */
export const historyPage = '/dashboard/history';
/** An admin's sign-in, sessions and data. Customers have these on the dashboard's index. */
export const securityPage = '/dashboard/account';
export const twoFactorPage = '/dashboard/two-factor';
export const passkeysPage = '/dashboard/passkeys';
export const deleteAccountPage = '/dashboard/delete-account';
export const myOrdersPage = '/dashboard/myOrder';
/** Followed by the purchase's number, or the id of one of its orders. */
export const orderPages = '/dashboard/orders';
/** Followed by the order's id. */
export const paymentPages = '/dashboard/payment';
export const addReviewPage = '/dashboard/review';

export const usersPage = '/dashboard/users';
export const allOrdersPage = '/dashboard/allOrders';
export const slipsPage = '/dashboard/print/slips';
export const pickListPage = '/dashboard/print/picks';
export const customsPage = '/dashboard/print/customs';
export const invoicesPage = '/dashboard/print/invoices';
export const addProductPage = '/dashboard/addProduct';
export const manageProductsPage = '/dashboard/manageProduct';
export const importProductsPage = '/dashboard/products/import';
export const countProductsPage = '/dashboard/products/count';
/** Followed by the product's id, and by `/stock` for the product's stock. */
export const managedProductPages = '/dashboard/products';
export const stockPage = '/dashboard/stock';
export const reviewsPage = '/dashboard/reviews';
export const messagesPage = '/dashboard/messages';
export const shopDetailsPage = '/dashboard/shop';
/** Delivery zones and rates. */
export const deliveryRatesPage = '/dashboard/delivery';
export const auditPage = '/dashboard/audit';
export const healthPage = '/dashboard/health';
