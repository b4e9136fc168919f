// Light, dark, or as the system has it; kept in the browser.
const KEPT = "seriatim-theme";
const THEMES = ["auto", "light", "dark"] as const;
const SIGNS = { auto: "◐", light: "☀", dark: "☾" } as const;
const WORDS = { auto: "as the system has it", light: "light", dark: "dark" } as const;

type Theme = (typeof THEMES)[number];

export function themeSwitch(button: HTMLElement): void {
  let theme: Theme = kept();

  function show(): void {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
    document.documentElement.dataset["theme"] = theme;
    button.textContent = SIGNS[theme];
    button.title = `Colours: ${WORDS[theme]}. Click for: ${WORDS[next]}`;
    button.setAttribute("aria-label", button.title);
    button.onclick = () => {
      theme = next;
      try {
        localStorage.setItem(KEPT, theme);
      } catch {
        // Then it lasts until the page is closed.
      }
      show();
    };
  }

  show();
}

function kept(): Theme {
  try {
    return THEMES.find((each) => each === localStorage.getItem(KEPT)) ?? "auto";
  } catch {
    return "auto";
  }
}
