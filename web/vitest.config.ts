import { defineConfig } from "vitest/config";

export default defineConfig({
  server: { fs: { allow: [".."] } }, // The examples are beside this folder.
  test: { environment: "jsdom", include: ["test/**/*.test.ts"] },
});
