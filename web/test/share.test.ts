// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fromFragment, toFragment } from "../src/share";

test("a program comes back from its fragment", async () => {
  const source = { name: "a.ser", text: "request a { 1 }\n# ünïcode ✓\n".repeat(200) };
  const fragment = await toFragment(source);
  expect(fragment).toMatch(/^s=[-\w]+$/);
  expect(fragment.length).toBeLessThan(200);
  expect(await fromFragment(`#${fragment}`)).toEqual({ ...source, given: {} });
});

test("what `ser play FILE` puts into the address is read", async () => {
  const fragment = readFileSync(new URL("fragment.txt", import.meta.url), "ascii").trim();
  expect(await fromFragment(fragment)).toEqual({ name: "über.ser", text: "request a { 1 } // größer\n", given: {} });
});

test("a question comes back, too", async () => {
  const given = { property: "linearizable", specification: "spec {\n  a + b & c\n}", seconds: "20" };
  const fragment = await toFragment({ name: "a.ser", text: "request a { 1 }" }, given);
  expect(await fromFragment(`#${fragment}`)).toEqual({ name: "a.ser", text: "request a { 1 }", given });
});

test.each(["", "#", "#other=1"])("%j is no link to a program", async (fragment) => {
  expect(await fromFragment(fragment)).toBeNull();
});

test.each(["#s=", "#s=!!!", "#s=AAAA"])("%j is a damaged link", async (fragment) => {
  expect(await fromFragment(fragment)).toBe("damaged");
});
