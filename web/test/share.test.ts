// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fromFragment, toFragment } from "../src/share";

test("a program comes back from its fragment", async () => {
  const source = { name: "a.ser", text: "request a { 1 }\n# ünïcode ✓\n".repeat(200) };
  const fragment = await toFragment(source);
  expect(fragment).toMatch(/^s=[-\w]+$/);
  expect(fragment.length).toBeLessThan(200);
  expect(await fromFragment(`#${fragment}`)).toEqual(source);
});

test("what `ser play FILE` puts into the address is read", async () => {
  const fragment = readFileSync(new URL("fragment.txt", import.meta.url), "ascii").trim();
  expect(await fromFragment(fragment)).toEqual({ name: "über.ser", text: "request a { 1 } // größer\n" });
});

test.each(["", "#", "#s=", "#s=!!!", "#s=AAAA", "#other=1"])("%j is no program", async (fragment) => {
  expect(await fromFragment(fragment)).toBeNull();
});
