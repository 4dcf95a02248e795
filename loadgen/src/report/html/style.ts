/**
 * DATA: the style sheet of the page, for light and dark mode, and for widths from a phone to a wide screen.
 *
 * It defines the two colours of draw.ts. It loads no other file and has no animations.
 */
export const STYLE = `
:root{color-scheme:light dark;--rs:#c2410c;--ts:#0067a8;--ground:#f6f7f9;--card:#fff;--ink:#16202c;--soft:#56616f;--line:#dfe3e8}
@media (prefers-color-scheme:dark){:root{--rs:#ff9e5e;--ts:#62bdf5;--ground:#0e141b;--card:#18212b;--ink:#e9eef4;--soft:#9dabba;--line:#2c3844}}
*{box-sizing:border-box}
body{max-width:1440px;margin:0 auto;padding:clamp(12px,2.2vw,32px);overflow-wrap:anywhere;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
h1{font-size:clamp(1.7rem,4vw,2.7rem);line-height:1.12;margin:0 0 .5rem;letter-spacing:-.02em;text-wrap:balance}
h2{font-size:1.45rem;letter-spacing:-.01em;margin:2.4rem 0 .3rem}
h3{font-size:1.02rem;margin:0;line-height:1.3}
p{margin:.4rem 0}
ul{padding-left:1.1rem}
li{margin:.3rem 0}
.cards,.plots{display:grid;gap:16px}
.cards{grid-template-columns:repeat(auto-fill,minmax(max(165px,18%),1fr))}
.plots{grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr))}
.card,figure{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:14px 16px;margin:0;min-width:0}
.bar{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.1rem .6rem;padding:.28rem 0;font-size:.95rem}
.bar span,.bar strong{white-space:nowrap}
@media (max-width:500px){.cards{gap:8px}.card{padding:10px}.bar{font-size:.82rem}}
.bar i{flex:0 0 100%;height:8px;border-radius:4px;background:linear-gradient(to right,var(--own) var(--part),var(--line) var(--part))}
.rs{--own:var(--rs)}.ts{--own:var(--ts)}
.bar b,.key b{color:var(--own)}
.verdict{font-weight:650;line-height:1.35;margin:.5rem 0 .1rem;padding-top:.5rem;border-top:1px solid var(--line)}
figcaption,thead th,.fine{color:var(--soft)}
.fine{font-size:.84rem;margin:0}
.key{display:flex;gap:1.1rem;font-size:.88rem}
svg{display:block;width:100%;height:auto;overflow:visible;max-width:640px}
svg text{white-space:pre}
svg [aria-label$="grid"]{stroke:var(--line);stroke-opacity:1}
figcaption{font-size:.87rem;line-height:1.4}
.table{overflow-x:auto;margin:.3rem 0 1rem}
.limits{columns:2 460px;column-gap:2.5rem;font-size:.92rem}
.limits td{white-space:normal}
table{overflow-wrap:normal;border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
`;
