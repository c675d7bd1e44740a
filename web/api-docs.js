/* global SwaggerUIBundle */

// Starts Swagger UI on `/api/docs`. It sends the session cookie by itself; "Authorize" sets a bearer token.
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
SwaggerUIBundle({
  url: document.currentScript.dataset.document,
  domNode: document.getElementById('api'),
  deepLinking: true,
  // By default, it sends the document to a validator on the internet.
  validatorUrl: null,
});
