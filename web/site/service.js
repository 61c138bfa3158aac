// Keeps the files of one build, so that the page works offline. Another build has another hash, and its files replace these.
"use strict";
const BUILD = "{hash}";
const FILES = ["./", "index.html"].concat("{files}".split(" "));

self.oninstall = (event) => event.waitUntil(
  caches.open(BUILD).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))),
);
self.onactivate = (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== BUILD) await caches.delete(name);
  await self.clients.claim();
})());
self.onfetch = (event) => event.respondWith(
  caches.open(BUILD).then((cache) => cache.match(event.request, { ignoreSearch: true })).then((file) => file ?? fetch(event.request)),
);
