// Runs a WebAssembly program with WASI in Node: node run-wasi.js PROGRAM [ARGUMENTS]
"use strict";
const fs = require("fs");
const { WASI } = require("wasi");

const wasi = new WASI({ version: "preview1", args: process.argv.slice(2), env: process.env, preopens: { "/": "/" } });
WebAssembly.instantiate(fs.readFileSync(process.argv[2]), wasi.getImportObject()).then(({ instance }) => {
  process.exitCode = wasi.start(instance);
});
