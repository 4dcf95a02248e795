/**
 * DATA: the style sheet of the page, for light and dark mode, and for widths from a phone to a wide screen.
 *
 * It defines the two colours of draw.ts. It loads no other file and has no animations.
 */
export const STYLE = `
:root{color-scheme:light dark;--rs:#c2410c;--ts:#0067a8;--ground:#f6f7f9;--card:#fff;--ink:#16202c;--soft:#56616f;--line:#dfe3e8}
@media (prefers-color-scheme:dark){:root{--rs:#ff9e5e;--ts:#62bdf5;--ground:#0e141b;--card:#18212b;--ink:#e9eef4;--soft:#9dabba;--line:#2c3844}}
*{box-sizing:border-box}
html{scroll-behavior:auto;-webkit-text-size-adjust:100%}
body{margin:0;overflow-wrap:anywhere;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main,header,footer{max-width:1440px;margin:0 auto;padding:0 clamp(12px,2.2vw,32px)}
header{padding-top:clamp(24px,4vw,56px)}
h1{font-size:clamp(1.7rem,4vw,2.7rem);line-height:1.12;margin:0 0 .5rem;letter-spacing:-.02em;text-wrap:balance}
h2{font-size:1.45rem;letter-spacing:-.01em;margin:3.2rem 0 .3rem}
h3{font-size:1.02rem;margin:0;line-height:1.3}
p{margin:.4rem 0}
a{color:inherit;text-underline-offset:3px}
.lead{color:var(--soft);max-width:75ch;font-size:1.06rem}
.intro{color:var(--soft);max-width:85ch;margin-bottom:1rem}
.facts{display:flex;flex-wrap:wrap;gap:.4rem;padding:0;margin:1rem 0;list-style:none;font-size:.86rem}
.facts li{background:var(--card);border:1px solid var(--line);border-radius:99px;padding:.18rem .75rem;max-width:100%;overflow-wrap:anywhere}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.94rem;border-block:1px solid var(--line);padding:.6rem 0;margin-top:1rem}
nav a{text-decoration:none;color:var(--soft)}nav a:hover{color:var(--ink);text-decoration:underline}
.warnings{padding-left:1.1rem}.warnings li{margin:.6rem 0;overflow-wrap:anywhere}.warnings small{display:block;color:var(--soft)}
.cards,.plots{display:grid;gap:16px}
.cards{grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));margin-top:1rem}
.plots{grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr))}
.card,figure{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:16px 18px;margin:0;min-width:0}
.card{display:flex;flex-direction:column}
.bar{display:grid;grid-template-columns:1fr auto;gap:.1rem .6rem;padding:.28rem 0;font-size:.95rem}
.bar span,.bar strong{white-space:nowrap}.bar strong{font-variant-numeric:tabular-nums}
.bar i{grid-column:1/-1;height:8px;border-radius:4px;background:linear-gradient(to right,var(--own) var(--part),var(--line) var(--part))}
.rs{--own:var(--rs)}.ts{--own:var(--ts)}
.bar b,.key b{color:var(--own)}
.verdict{font-weight:650;font-size:1.06rem;line-height:1.35;margin:.7rem 0 .1rem;padding-top:.6rem;border-top:1px solid var(--line)}
.fine{color:var(--soft);font-size:.84rem;margin:0;font-variant-numeric:tabular-nums}
figure{padding:14px 14px 10px;display:grid;grid-template-rows:subgrid;grid-template-columns:minmax(0,1fr);grid-row:span 4;row-gap:0;align-content:start}
.key{display:flex;gap:1.1rem;font-size:.88rem;margin:.15rem 0 .2rem}.key small{color:var(--soft)}
svg{display:block;width:100%;height:auto;overflow:visible;max-width:640px}
svg text{white-space:pre}
svg [aria-label$="grid"]{stroke:var(--line);stroke-opacity:1}
figcaption{color:var(--soft);font-size:.87rem;line-height:1.4;margin:.3rem 0 .5rem;overflow-wrap:anywhere}
.table{overflow-x:auto;margin:.3rem 0 1rem}
table{overflow-wrap:normal;border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{padding:.34rem .8rem .34rem 0;text-align:left;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
thead th{color:var(--soft);white-space:nowrap}
tbody th,td{white-space:nowrap}td:last-child{white-space:normal;min-width:10em}
footer{color:var(--soft);font-size:.87rem;padding-block:3rem}
`;
