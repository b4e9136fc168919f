/** The report in the colours of the editor, whatever those of the desktop are. Nothing here needs an editor. */
export function inTheme(page: string, isDark: boolean): string {
  const end = page.indexOf("</style>");
  const style = page
    .slice(0, end)
    .replaceAll("(prefers-color-scheme: dark)", isDark ? "all" : "not all")
    .replaceAll("color-scheme: light dark", `color-scheme: ${isDark ? "dark" : "light"}`);
  return style + page.slice(end);
}
