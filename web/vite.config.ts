import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

// One script, one style sheet, no name with a hash: they are built into the program.
export default defineConfig({
  plugins: [preact()],
  base: "/",
  build: {
    outDir: "../build/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "jali.js",
        chunkFileNames: "[name].js",
        assetFileNames: "jali[extname]",
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8080" } },
});
