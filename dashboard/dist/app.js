var oe,
  zs,
  jl,
  dn,
  Gl,
  Mr,
  Gs,
  Pr,
  qs,
  Kl,
  ql,
  Kf,
  qo = Symbol.for('pv'),
  Ar = {},
  Rr = [],
  Yf = /^m(i|n|o|s|text|space)$/,
  Yl = Array.isArray,
  Jl = Rr.slice,
  On = Object.assign;
function Rn(e) {
  e && e.parentNode && e.remove();
}
function js(e, t, n) {
  var o,
    r,
    l,
    s = {},
    u = arguments.length;
  for (l in t) l == 'key' ? (o = t[l]) : l == 'ref' && typeof e != 'function' ? (r = t[l]) : (s[l] = t[l]);
  return (u > 2 && (s.children = u > 3 ? Jl.call(arguments, 2) : n), Go(e, s, o, r, null));
}
function Go(e, t, n, o, r) {
  var l = {
    type: e,
    props: t,
    key: n,
    ref: o,
    __k: null,
    __: null,
    __b: 0,
    __e: null,
    __c: null,
    constructor: qo,
    __v: r || ++zs,
    __i: -1,
    __u: 0,
  };
  return (!r && oe.vnode && oe.vnode(l), l);
}
function Ye(e) {
  return e.children;
}
function go(e, t) {
  (this.props = e), (this.context = t), (this.__g = 0);
}
function hn(e, t) {
  if (t == null) return e.__ && hn(e.__, e.__i + 1);
  for (var n; t < e.__k.length; t++) if ((n = e.__k[t]) && n.__e) return n.__e;
  return typeof e.type != 'function' || e.props.__P ? null : hn(e);
}
function Jf(e) {
  var t,
    n = e.__v,
    o = n.__e,
    r = [],
    l = [],
    s = e.__P;
  s &&
    (((t = On({ constructor: qo }, n)).__v = n.__v + 1),
    oe.vnode && oe.vnode(t),
    Zl(s, t, n, e.__n, s.namespaceURI, 32 & n.__u ? [o] : null, r, o || hn(n), 32 & n.__u, l),
    (t.__v = n.__v),
    (t.__.__k[t.__i] = t),
    Xs(r, t, l),
    (n.__ = n.__e = null),
    t.__e != o && Ks(t));
}
function Ks(e) {
  if ((e = e.__) && e.__c && !e.props.__P)
    return ((e.__e = null), e.__k.some((t) => t && (e.__e = t.__e)), Ks(e));
}
function Bs(e) {
  ((8 & e.__g || ((e.__g |= 8), dn.push(e), Mr++)) && Gl == oe.debounceRendering) ||
    ((Gl = oe.debounceRendering) || queueMicrotask)(Ys);
}
function Ys() {
  try {
    for (var e, t = 1; dn.length; )
      dn.length > t && dn.sort(Gs), (e = dn.shift()), (t = dn.length), 8 & e.__g && Jf(e);
  } finally {
    (Mr = dn.length) && (Gl || queueMicrotask)(Ys);
  }
}
function Js(e, t, n, o, r, l, s, u, d, h, _) {
  var g,
    w,
    v,
    x,
    k,
    T,
    A = o.__k || Rr,
    b = t.length;
  for (d = Zf(n, t, A, d, b), g = 0; g < b; g++)
    (v = n.__k[g]) != null &&
      ((w = (~v.__i && A[v.__i]) || Ar),
      (v.__i = g),
      (T = Zl(e, v, w, r, l, s, u, d, h, _)),
      (x = v.__e),
      (w.ref != v.ref || 8 & w.__u) &&
        (w.ref && Ql(w.ref, null, v, w), v.ref && _.push(v.ref, v.__c || x, v)),
      (k = k || x),
      4 & v.__u
        ? ((d = Zs(v, d, e, !w.__v)), w.__e && (w.__e = null))
        : typeof v.type == 'function' && T !== void 0
          ? (d = T)
          : x && (d = x.nextSibling),
      (v.__u &= -21));
  return ((n.__e = k), d);
}
function Zf(e, t, n, o, r) {
  var l,
    s,
    u,
    d,
    h,
    _,
    g,
    w,
    v,
    x = n.length,
    k = x,
    T = 0,
    A = 0,
    b = (e.__k = Array(r));
  for (l = 0; l < r; l++)
    (s = t[l]) != null && typeof s != 'boolean' && typeof s != 'function'
      ? (typeof s != 'object' || s.constructor === String
          ? (s = b[l] = Go(null, s))
          : Yl(s)
            ? (s = b[l] = Go(Ye, { children: s }))
            : s.constructor === qo && s.__b
              ? (s = b[l] = Go(s.type, s.props, s.key, s.ref, s.__v))
              : (b[l] = s),
        (d = l + T),
        (s.__ = e),
        (s.__b = e.__b + 1),
        (u = null),
        ~(h = s.__i = Qf(s, n, d, k)) && (k--, (u = n[h]) && (u.__u |= 2)),
        u && u.__v
          ? ((s.__u |= 16), h == d - 1 ? T-- : h == d + 1 ? T++ : h != d && (h > d ? T-- : T++, (A = 1)))
          : (~h || (r > x ? T-- : r < x && T++), typeof s.type != 'function' && (s.__u |= 4)))
      : (b[l] = null);
  if (A) {
    for (_ = [], g = [], l = 0; l < r; l++)
      if ((s = b[l]) && 16 & s.__u) {
        for (T = 0, w = _.length; T < w; ) _[(v = (T + w) >> 1)] < s.__i ? (T = v + 1) : (w = v);
        (_[T] = s.__i), (g[l] = T + 1);
      }
    for (T = _.length; l--; ) g[l] && (g[l] == T ? T-- : (b[l].__u |= 4));
  }
  if (k) for (l = 0; l < x; l++) !(u = n[l]) || 2 & u.__u || (u.__e == o && (o = hn(u)), Xl(u, u));
  return o;
}
function Zs(e, t, n, o) {
  var r, l, s, u;
  if (typeof e.type == 'function') {
    if (e.props.__P) return t;
    if ((r = e.__k)) for (l = 0; l < r.length; l++) r[l] && ((r[l].__ = e), (t = Zs(r[l], t, n, !1)));
    return t;
  }
  for (
    t && !t.parentNode && (t = hn(e)) && !t.parentNode && (t = null), s = e.__e, u = t;
    u && u.nodeType == 8;
  )
    u = u.nextSibling;
  for (
    s != u && (!o && n.moveBefore && s.parentNode ? n.moveBefore(s, t) : n.insertBefore(s, t || null)), t = s;
    (t = t && t.nextSibling) && t.nodeType == 8 && !t.data.startsWith('$s');
  );
  return t;
}
function Qf(e, t, n, o) {
  var r,
    l = e.key,
    s = e.type,
    u = t[n],
    d = u && !(2 & u.__u);
  if ((u === null && l == null) || (d && l == u.key && s == u.type)) return n;
  if (o > (d ? 1 : 0)) {
    for (r = n - 1; r >= 0; r--) if ((u = t[r]) && !(2 & u.__u) && l == u.key && s == u.type) return r;
    for (r = n + 1; r < t.length; r++) if ((u = t[r]) && !(2 & u.__u) && l == u.key && s == u.type) return r;
  }
  return -1;
}
function Vs(e, t, n) {
  n == null && (n = ''), t[0] == '-' ? e.setProperty(t, n) : (e[t] = n);
}
function Er(e, t, n, o, r) {
  var l, s;
  if (t == 'style')
    if (typeof n == 'string') e.style.cssText = n;
    else {
      if ((typeof o == 'string' && (e.style.cssText = o = ''), o))
        for (t in o) (n && t in n) || Vs(e.style, t);
      if (n) for (t in n) (o && n[t] == o[t]) || Vs(e.style, t, n[t]);
    }
  else if (t[0] == 'o' && t[1] == 'n')
    typeof n != 'function' && (n = null),
      typeof o != 'function' && (o = null),
      ((e.__e || (e.__e = {}))[t] = n),
      (n && o) ||
        ((s = ql[t] || (ql[t] = Xf(t))),
        ((e.__a || (e.__a = {}))[t] = Kl),
        (l = t != (t = t.replace(qs, '$1'))),
        (t = t.slice(2))[0] < 'a' && (t = t.toLowerCase()),
        n ? e.addEventListener(t, s, l) : e.removeEventListener(t, s, l));
  else {
    if (r == 'http://www.w3.org/2000/svg') t = t.replace(/xlink(H|:h)/, 'h').replace(/sName$/, 's');
    else if (
      t != 'width' &&
      t != 'height' &&
      t != 'href' &&
      t != 'list' &&
      t != 'form' &&
      t != 'tabIndex' &&
      t != 'download' &&
      t != 'rowSpan' &&
      t != 'colSpan' &&
      t != 'role' &&
      t != 'popover' &&
      t in e
    )
      try {
        return void (e[t] = n ?? '');
      } catch {}
    if (typeof n == 'function') return;
    n == null || (n === !1 && t[4] != '-')
      ? e.removeAttribute(t)
      : e.setAttribute(t, t == 'popover' && n == 1 ? '' : n);
  }
}
function Xf(e) {
  return function (t) {
    var n = this.__e;
    if (n) {
      if (((n = n[e]), t[Pr] == null)) t[Pr] = Kl++;
      else if (t[Pr] < this.__a[e]) return;
      return n(oe.event ? oe.event(t) : t);
    }
  };
}
function Zl(e, t, n, o, r, l, s, u, d, h) {
  var _,
    g,
    w,
    v,
    x,
    k,
    T,
    A,
    b,
    R,
    E,
    K,
    N,
    Y,
    V,
    Z,
    B,
    M,
    z = t.type;
  if (t.constructor !== qo) return null;
  128 & n.__u &&
    ((d = 32 & n.__u), (_ = n.__c.__z)) &&
    ((t.__u |= d), (g = l = []), _.nodeType == 8 ? (u = Cr(_, l)) : l.push(_), (u = l[0] || u)),
    (_ = oe.__b) && _(t);
  e: if (typeof z == 'function') {
    w = s.length;
    try {
      if (
        ((A = t.props),
        (b = (_ = z.prototype) && _.render),
        (R = (_ = z.contextType) && o[_.__c]),
        (E = _ ? (R ? R.props.value : _.__) : o),
        (v = n.__c)
          ? ((t.__c = v), 2 & v.__g && (v.__g |= 1))
          : (b
              ? (t.__c = v = new z(A, E))
              : ((t.__c = v = new go(A, E)), (v.constructor = z), (v.render = tp)),
            R && R.sub(v),
            v.state || (v.state = {}),
            (v.__n = o),
            (v.__g |= 8),
            (v.__h = []),
            (v.__k = [])),
        b &&
          (v.__s || (v.__s = v.state),
          z.getDerivedStateFromProps &&
            (v.__s == v.state && (v.__s = On({}, v.__s)), On(v.__s, z.getDerivedStateFromProps(A, v.__s)))),
        (x = v.props),
        (k = v.state),
        (v.__v = t),
        n.__c)
      ) {
        if (
          (A !== x &&
            b &&
            !z.getDerivedStateFromProps &&
            v.componentWillReceiveProps &&
            v.componentWillReceiveProps(A, E),
          (t.__v == n.__v && !(8 & v.__g)) ||
            (!(4 & v.__g) && v.shouldComponentUpdate && v.shouldComponentUpdate(A, v.__s, E) === !1))
        ) {
          t.__v != n.__v && ((v.props = A), (v.state = v.__s), (v.__g &= -9)),
            (t.__e = n.__e),
            (t.__k = n.__k),
            t.__k.some((L) => {
              L && (L.__ = t);
            }),
            Rr.push.apply(v.__h, v.__k),
            (v.__k = []),
            v.__h.length && s.push(v),
            (u = hn(n));
          break e;
        }
        v.componentWillUpdate && v.componentWillUpdate(A, v.__s, E),
          b &&
            v.componentDidUpdate &&
            v.__h.push(() => {
              v.componentDidUpdate(x, k, T);
            });
      } else
        b && !z.getDerivedStateFromProps && v.componentWillMount && v.componentWillMount(),
          b && v.componentDidMount && v.__h.push(v.componentDidMount);
      (v.context = E), (v.props = A), (v.__P = e), (v.__g &= -5), (K = oe.__r), (N = b ? 25 : 0);
      do (v.__g &= -9), K && K(t), (_ = v.render(v.props, (v.state = v.__s), v.context));
      while (8 & v.__g && ++N < 25);
      b && (Rr.push.apply(v.__h, v.__k), (v.__k = [])),
        (v.state = v.__s),
        v.getChildContext && (o = On({}, o, v.getChildContext())),
        b && n.__c && v.getSnapshotBeforeUpdate && (T = v.getSnapshotBeforeUpdate(x, k)),
        (Y = _ && _.type === Ye && _.key == null ? _.props.children : _),
        A.__P &&
          ((_ = u),
          (r = (e = A.__P).namespaceURI),
          (d = l = null),
          n.props &&
            n.props.__P != e &&
            (n.__k.some((L) => {
              L && Xl(L, L);
            }),
            (n.__k = null)),
          (u = n.__k ? hn(n, 0) : null)),
        (u = Js(e, Yl(Y) ? Y : [Y], t, n, o, r, l, s, u, d, h)),
        A.__P && ((t.__e = null), (u = _)),
        (t.__u &= -161),
        g && g.some(Rn),
        v.__h.length && s.push(v),
        1 & v.__g && (v.__g &= -4);
    } catch (L) {
      if (((s.length = w), (t.__v = null), d || l))
        if (L && L.then) {
          if (((t.__u |= 128 | d), l)) {
            for (~(B = l.indexOf(u || void 0)) || (B = l.length); (M = l[B - 1]) && M.nodeType == 8; ) B--;
            for (; B < l.length; B++)
              if ((M = l[B]))
                if (((l[B] = null), V)) {
                  if (M == Z) break;
                } else {
                  if (M.nodeType != 8) break;
                  M.data.startsWith('$s') && (Z = Cr((V = M)));
                }
          }
          if (!V) {
            for (; u && u.nodeType == 8 && u.nextSibling; ) u = u.nextSibling;
            V = u;
          }
          (_ = Cr((V = t.__c.__z || (t.__c.__z = V)))) ? ((t.__e = V), (u = _)) : (t.__e = u),
            (u = u && u.nextSibling);
        } else l && l.some(Rn);
      else t.__e = n.__e;
      t.__k || (t.__k = n.__k || []), (L && L.then) || Qs(t), oe.__e(L, t, n);
    }
  } else u = t.__e = ep(n.__e, t, n, o, r, l, s, d, h, e);
  return ((_ = oe.diffed) && _(t), u);
}
function Cr(e, t) {
  if (e && e.nodeType == 8 && e.data.startsWith('$s'))
    for (var n = 1; (e = e.nextSibling); ) {
      if (e.nodeType == 8) {
        if (e.data.startsWith('$s')) n++;
        else if (e.data.startsWith('/$s') && !--n) return e;
      }
      t && t.push(e);
    }
}
function Qs(e) {
  e && (e.__c && (e.__c.__g |= 4), e.__k && e.__k.some(Qs));
}
function Xs(e, t, n) {
  for (var o = 0; o < n.length; ) Ql(n[o++], n[o++], n[o++]);
  oe.__c && oe.__c(t, e),
    e.some((r) => {
      try {
        (e = r.__h),
          (r.__h = []),
          e.some((l) => {
            l.call(r);
          });
      } catch (l) {
        oe.__e(l, r.__v);
      }
    });
}
function ep(e, t, n, o, r, l, s, u, d, h) {
  var _,
    g,
    w,
    v,
    x,
    k,
    T,
    A,
    b = n.props || Ar,
    R = t.props,
    E = t.type;
  if (
    (E == 'svg'
      ? (r = 'http://www.w3.org/2000/svg')
      : E == 'math'
        ? (r = 'http://www.w3.org/1998/Math/MathML')
        : r || (r = 'http://www.w3.org/1999/xhtml'),
    l)
  ) {
    for (_ = 0; _ < l.length; _++)
      if ((x = l[_]) && (E ? x.localName == E : x.nodeType == 3)) {
        (e = x), (l[_] = null);
        break;
      }
  }
  if (!e) {
    if (((A = h.ownerDocument || document), !E)) return A.createTextNode(R);
    (e = A.createElementNS(r, E, R.is ? R : h)), u && (oe.__m && oe.__m(t, l), (u = !1)), (l = null);
  }
  if (E) {
    if (
      ((h = (E == 'template' && e.content) || e),
      (l = E == 'textarea' && R.defaultValue != null ? null : l && Jl.call(h.childNodes)),
      !u && l)
    )
      for (b = {}, _ = 0; _ < e.attributes.length; _++) b[(x = e.attributes[_]).name] = x.value;
    for (_ in b)
      (x = b[_]),
        _ == 'dangerouslySetInnerHTML'
          ? (w = x)
          : _ == 'children' ||
            _ in R ||
            (_ == 'value' && 'defaultValue' in R) ||
            (_ == 'checked' && 'defaultChecked' in R) ||
            Er(e, _, null, x, r);
    for (_ in R)
      (x = R[_]),
        _ == 'children'
          ? (v = x)
          : _ == 'dangerouslySetInnerHTML'
            ? (g = x)
            : _ == 'value'
              ? (k = x)
              : _ == 'checked'
                ? (T = x)
                : (u && typeof x != 'function') || b[_] === x || Er(e, _, x, b[_], r);
    g
      ? (u || (w && (g.__html == w.__html || g.__html == e.innerHTML)) || (e.innerHTML = g.__html),
        (t.__k = []))
      : (w && (e.textContent = ''),
        (E == 'foreignObject' || (r == 'http://www.w3.org/1998/Math/MathML' && Yf.test(E))) &&
          (r = 'http://www.w3.org/1999/xhtml'),
        Js(h, Yl(v) ? v : [v], t, n, o, r, l, s, l ? l[0] : n.__k && hn(n, 0), u, d),
        l && l.some(Rn)),
      (u && E != 'textarea') ||
        ((_ = 'value'),
        E == 'progress' && k == null
          ? e.removeAttribute(_)
          : k == null || (k === e[_] && (E != 'progress' || k)) || Er(e, _, k, b[_], r),
        (_ = 'checked'),
        T != null && T != e[_] && Er(e, _, T, b[_], r));
  } else b === R || (u && e.data == R) || (e.data = R);
  return e;
}
function Ql(e, t, n, o) {
  try {
    typeof e == 'function'
      ? t
        ? (t.__x = e(t) || 1)
        : o && (o = o.__c || o.__e) && (t = o.__x) && ((o.__x = null), typeof t == 'function' ? t() : e(null))
      : (e.current = t);
  } catch (r) {
    oe.__e(r, n);
  }
}
function Xl(e, t, n) {
  var o, r, l, s;
  if (
    (oe.unmount && oe.unmount(e),
    !(o = e.ref) || (o.current && o.current != e.__e) || Ql(o, null, t, e),
    (o = e.__c))
  ) {
    if (o.componentWillUnmount)
      try {
        o.componentWillUnmount();
      } catch (u) {
        oe.__e(u, t);
      }
    o.__P = o.__n = null;
  }
  if ((o = e.__k))
    for (s = 0; s < o.length; s++) o[s] && Xl(o[s], t, typeof e.type != 'function' || (n && !e.props.__P));
  !n && (o = e.__c) && (o = o.__z) && (r = Cr(o, (l = []))) && (o == e.__e && l.some(Rn), Rn(r), Rn(o)),
    n || Rn(e.__e),
    (e.__e = e.__c = e.__ = null);
}
function tp(e, t, n) {
  return this.constructor(e, n);
}
function ea(e, t) {
  var n, o, r, l;
  oe.__ && oe.__(e, t),
    t.nodeType == 9 && (t = t.documentElement),
    (o = (n = e && 32 & e.__u) ? null : t.__k),
    (t.__k = Go(Ye, { children: [e] })),
    (r = []),
    (l = []),
    Zl(
      t,
      t.__k,
      o || Ar,
      Ar,
      t.namespaceURI,
      o ? null : t.firstChild ? Jl.call(t.childNodes) : null,
      r,
      o ? o.__e : t.firstChild,
      n,
      l,
    ),
    Xs(r, t.__k, l),
    (t.__k.props.children = null);
}
(oe = {
  __e: (e, t, n, o) => {
    for (var r, l, s; (t = t.__); )
      if ((r = t.__c) && !(1 & r.__g)) {
        r.__g |= 4;
        try {
          if (
            ((s = (l = r.constructor) && l.getDerivedStateFromError) &&
              r.setState(l.getDerivedStateFromError(e)),
            r.componentDidCatch && (r.componentDidCatch(e, o || {}), (s = 1)),
            s && 8 & r.__g)
          )
            return void (r.__g |= 2);
        } catch (u) {
          e = u;
        }
      }
    throw ((Mr = 0), e);
  },
}),
  (zs = 0),
  (jl = (e) => e != null && e.constructor === qo),
  (go.prototype.setState = function (e, t) {
    var n = this.__s;
    (n && n != this.state) || (n = this.__s = On({}, this.state)),
      typeof e == 'function' && (e = e(On({}, n), this.props)),
      e && (On(n, e), this.__v && (t && this.__k.push(t), Bs(this)));
  }),
  (go.prototype.forceUpdate = function (e) {
    this.__v && ((this.__g |= 4), e && this.__h.push(e), Bs(this));
  }),
  (go.prototype.render = Ye),
  (dn = []),
  (Mr = 0),
  (Gs = (e, t) => e.__v.__b - t.__v.__b),
  (Pr = Symbol()),
  (qs = /(PointerCapture)$|Capture$/i),
  (Kl = 0),
  (ql = {}),
  (Kf = 0);
var Ko,
  Ne,
  ei,
  ta,
  ti = Object.is,
  Or = 0,
  ca = [],
  ni = [],
  Oe = oe,
  na = Oe.__b,
  oa = Oe.__r,
  ra = Oe.diffed,
  la = Oe.__c,
  ia = Oe.unmount,
  sa = Oe.__;
function ri(e, t) {
  Oe.__h && Oe.__h(Ne, e, Or || t), (Or = 0);
  var n = Ne.__H || (Ne.__H = { __: [], __h: [] });
  return (e >= n.__.length && n.__.push({}), n.__[e]);
}
function mt(e) {
  return ((Or = 1), np(pa, e));
}
function np(e, t, n) {
  var o = ri(Ko++, 2);
  if (
    ((o.t = e),
    !o.__c &&
      ((o.__ = [
        n ? n(t) : pa(void 0, t),
        (l) => {
          var s = (o.__N || o.__)[0],
            u = o.t(s, l);
          ti(s, u) || ((o.__N = [u, o.__[1]]), o.__c.setState({}));
        },
      ]),
      (o.__c = Ne),
      !Ne.__f))
  ) {
    Ne.__f = !0;
    var r = Ne.shouldComponentUpdate;
    Ne.shouldComponentUpdate = function (l, s, u) {
      var d = this.__H;
      if (!d) return !0;
      var h = !1,
        _ = this.props != l;
      if (
        (d.__.some((w) => {
          w.__N && ((h = !0), ti(w.__[0], w.__N[0]) || (_ = !0));
        }),
        r)
      ) {
        var g = r.call(this, l, s, u);
        return h ? g || _ : g;
      }
      return !h || _;
    };
  }
  return o.__;
}
function rt(e, t) {
  var n = ri(Ko++, 3);
  !Oe.__s && fa(n.__H, t) && ((n.__P = !0), (n.__ = e), (n.u = t), Ne.__H.__h.push(n));
}
function mn(e) {
  return ((Or = 5), Lr(() => ({ current: e }), []));
}
function Lr(e, t) {
  var n = ri(Ko++, 7);
  return (fa(n.__H, t) && ((n.__ = e()), (n.__H = t)), n.__);
}
function op() {
  var e;
  do {
    for (; (e = ni.shift()); )
      try {
        jo(e);
      } catch (n) {
        Oe.__e(n, { __: (e = e.__P) && e.__v });
      }
    for (; (e = ca.shift()); ) {
      var t = e.__H;
      if (e.__P && t)
        try {
          t.__h.some(jo), t.__h.some(oi), (t.__h = []);
        } catch (n) {
          (t.__h = []), Oe.__e(n, e.__v);
        }
    }
  } while (ni.length);
}
(Oe.__b = (e) => {
  (Ne = null), na && na(e);
}),
  (Oe.__ = (e, t) => {
    e && t.__k && t.__k.__m && (e.__m = t.__k.__m), sa && sa(e, t);
  }),
  (Oe.__r = (e) => {
    oa && oa(e), (Ko = 0);
    var t = (Ne = e.__c).__H;
    t &&
      (ei == Ne ? (Ne.__h = []) : (t.__h.some(jo), t.__h.some(oi), (Ko = 0)),
      (t.__h = []),
      t.__.some((n) => {
        n.__N && (n.__ = n.__N), (n.u = n.__N = void 0);
      })),
      (ei = Ne);
  }),
  (Oe.diffed = (e) => {
    ra && ra(e);
    var t = e.__c;
    t &&
      t.__H &&
      (t.__H.__h.length && ua(ca.push(t)),
      t.__H.__.some((n) => {
        n.u && (n.__H = n.u);
      })),
      (ei = Ne = null);
  }),
  (Oe.__c = (e, t) => {
    t.some((n) => {
      try {
        n.__h.some(jo), (n.__h = n.__h.filter((o) => !o.__ || oi(o)));
      } catch (o) {
        n.__h = [
          () => {
            throw o;
          },
        ];
      }
    }),
      la && la(e, t);
  }),
  (Oe.unmount = (e) => {
    ia && ia(e);
    var t,
      n,
      o = e.__c;
    o &&
      o.__H &&
      (o.__H.__.some((r) => {
        try {
          if (r.__P && r.__c) {
            if (n === void 0) {
              for (n = e.__; n && (!n.__c || !n.__c.__P); ) n = n.__;
              n = n && n.__c;
            }
            (r.__P = n), ua(ni.push(r));
          } else jo(r);
        } catch (l) {
          t = l;
        }
      }),
      (o.__H = void 0),
      t && Oe.__e(t, o.__v));
  });
var aa = typeof requestAnimationFrame == 'function';
function rp(e) {
  var t,
    n = () => {
      clearTimeout(o), aa && cancelAnimationFrame(t), setTimeout(e);
    },
    o = setTimeout(n, 35);
  aa && (t = requestAnimationFrame(n));
}
function ua(e) {
  (e != 1 && ta == Oe.requestAnimationFrame) || ((ta = Oe.requestAnimationFrame) || rp)(op);
}
function jo(e) {
  var t = Ne,
    n = e.__c;
  typeof n == 'function' && ((e.__c = void 0), n()), (Ne = t);
}
function oi(e) {
  var t = Ne;
  (e.__c = e.__()), (Ne = t);
}
function fa(e, t) {
  return !e || e.length != t.length || t.some((n, o) => !ti(n, e[o]));
}
function pa(e, t) {
  return typeof t == 'function' ? t(e) : t;
}
var lp = Symbol.for('preact-signals');
function $r() {
  if (en > 1) en--;
  else {
    var e,
      t = !1;
    for (
      (() => {
        var r = Fr;
        for (Fr = void 0; r !== void 0; ) {
          var l = r.S;
          if (l.v === r.v) for (var s = l.t; s !== void 0; s = s.x) s.i === r.i && (s.i = l.i);
          r = r.o;
        }
      })();
      Jo !== void 0;
    ) {
      var n = Jo;
      for (Jo = void 0, Dr++; n !== void 0; ) {
        var o = n.u;
        if (((n.u = void 0), (n.f &= -3), !(8 & n.f) && ha(n)))
          try {
            n.c();
          } catch (r) {
            t || ((e = r), (t = !0));
          }
        n = o;
      }
    }
    if (((Dr = 0), en--, t)) throw e;
  }
}
function yo(e) {
  if (en > 0) return e();
  (li = ++ip), en++;
  try {
    return e();
  } finally {
    $r();
  }
}
var Yo,
  ke = void 0;
function Ln(e) {
  var t = ke,
    n = Yo;
  (ke = void 0), (Yo = void 0);
  try {
    return e();
  } finally {
    (ke = t), (Yo = n);
  }
}
var Jo = void 0,
  en = 0,
  Dr = 0,
  ip = 0,
  li = 0,
  Fr = void 0,
  Nr = 0;
function da(e) {
  if (ke !== void 0) {
    var t = e.n;
    if (t === void 0 || t.t !== ke)
      return (
        (t = { i: 0, S: e, p: ke.s, n: void 0, t: ke, e: void 0, x: void 0, r: t }),
        ke.s !== void 0 && (ke.s.n = t),
        (ke.s = t),
        (e.n = t),
        32 & ke.f && e.S(t),
        t
      );
    if (t.i === -1)
      return (
        (t.i = 0),
        t.n !== void 0 &&
          ((t.n.p = t.p),
          t.p !== void 0 && (t.p.n = t.n),
          (t.p = ke.s),
          (t.n = void 0),
          (ke.s.n = t),
          (ke.s = t)),
        t
      );
  }
}
function $e(e, t) {
  (this.v = e),
    (this.i = 0),
    (this.n = void 0),
    (this.t = void 0),
    (this.l = 0),
    (this.W = t?.watched),
    (this.Z = t?.unwatched),
    (this.name = t?.name);
}
$e.prototype.brand = lp;
$e.prototype.h = () => !0;
$e.prototype.S = function (e) {
  var n = this.t;
  n !== e &&
    e.e === void 0 &&
    ((e.x = n),
    (this.t = e),
    n !== void 0
      ? (n.e = e)
      : Ln(() => {
          var o;
          (o = this.W) == null || o.call(this);
        }));
};
$e.prototype.U = function (e) {
  if (this.t !== void 0) {
    var n = e.e,
      o = e.x;
    n !== void 0 && ((n.x = o), (e.e = void 0)),
      o !== void 0 && ((o.e = n), (e.x = void 0)),
      e === this.t &&
        ((this.t = o),
        o === void 0 &&
          Ln(() => {
            var r;
            (r = this.Z) == null || r.call(this);
          }));
  }
};
$e.prototype.subscribe = function (e) {
  return Qe(
    () => {
      var n = this.value;
      Ln(() => e(n));
    },
    { name: 'sub' },
  );
};
$e.prototype.valueOf = function () {
  return this.value;
};
$e.prototype.toString = function () {
  return this.value + '';
};
$e.prototype.toJSON = function () {
  return this.value;
};
$e.prototype.peek = function () {
  return Ln(() => this.value);
};
Object.defineProperty($e.prototype, 'value', {
  get: function () {
    var e = da(this);
    return (e !== void 0 && (e.i = this.i), this.v);
  },
  set: function (e) {
    if (e !== this.v) {
      if (Dr > 100) throw new Error('Cycle detected');
      ((n) => {
        en !== 0 && Dr === 0 && n.l !== li && ((n.l = li), (Fr = { S: n, v: n.v, i: n.i, o: Fr }));
      })(this),
        (this.v = e),
        this.i++,
        Nr++,
        en++;
      try {
        for (var t = this.t; t !== void 0; t = t.x) t.t.N();
      } finally {
        $r();
      }
    }
  },
});
function ee(e, t) {
  return new $e(e, t);
}
function ha(e) {
  for (var t = e.s; t !== void 0; t = t.n) if (t.S.i !== t.i || !t.S.h() || t.S.i !== t.i) return !0;
  return !1;
}
function ma(e) {
  for (var t = e.s; t !== void 0; t = t.n) {
    var n = t.S.n;
    if ((n !== void 0 && (t.r = n), (t.S.n = t), (t.i = -1), t.n === void 0)) {
      e.s = t;
      break;
    }
  }
}
function _a(e) {
  for (var t = e.s, n = void 0; t !== void 0; ) {
    var o = t.p;
    t.i === -1 ? (t.S.U(t), o !== void 0 && (o.n = t.n), t.n !== void 0 && (t.n.p = o)) : (n = t),
      (t.S.n = t.r),
      t.r !== void 0 && (t.r = void 0),
      (t = o);
  }
  e.s = n;
}
function Dn(e, t) {
  $e.call(this, void 0, t), (this.x = e), (this.s = void 0), (this.g = Nr - 1), (this.f = 4);
}
Dn.prototype = new $e();
Dn.prototype.h = function () {
  if (((this.f &= -3), 1 & this.f)) return !1;
  if ((36 & this.f) == 32 || ((this.f &= -5), this.g === Nr)) return !0;
  if (((this.g = Nr), (this.f |= 1), this.i > 0 && !ha(this))) return ((this.f &= -2), !0);
  var e = ke;
  try {
    ma(this), (ke = this);
    var t = this.x();
    (16 & this.f || this.v !== t || this.i === 0) && ((this.v = t), (this.f &= -17), this.i++);
  } catch (n) {
    (this.v = n), (this.f |= 16), this.i++;
  }
  return ((ke = e), _a(this), (this.f &= -2), !0);
};
Dn.prototype.S = function (e) {
  if (this.t === void 0) {
    this.f |= 36;
    for (var t = this.s; t !== void 0; t = t.n) t.S.S(t);
  }
  $e.prototype.S.call(this, e);
};
Dn.prototype.U = function (e) {
  if (this.t !== void 0 && ($e.prototype.U.call(this, e), this.t === void 0)) {
    this.f &= -33;
    for (var t = this.s; t !== void 0; t = t.n) t.S.U(t);
  }
};
Dn.prototype.N = function () {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (var e = this.t; e !== void 0; e = e.x) e.t.N();
  }
};
Object.defineProperty(Dn.prototype, 'value', {
  get: function () {
    if (1 & this.f) throw new Error('Cycle detected');
    var e = da(this);
    if ((this.h(), e !== void 0 && (e.i = this.i), 16 & this.f)) throw this.v;
    return this.v;
  },
});
function Me(e, t) {
  return new Dn(e, t);
}
function va(e) {
  var t = e.j;
  if (((e.j = void 0), typeof t == 'function')) {
    en++;
    var n = ke;
    ke = void 0;
    try {
      t();
    } catch (o) {
      throw ((e.f &= -2), (e.f |= 8), ii(e), o);
    } finally {
      (ke = n), $r();
    }
  }
}
function ii(e) {
  for (var t = e.s; t !== void 0; t = t.n) t.S.U(t);
  (e.x = void 0), (e.s = void 0), va(e);
}
function sp(e) {
  if (ke !== this) throw new Error('Out-of-order effect');
  _a(this), (ke = e), (this.f &= -2);
  try {
    8 & this.f && ii(this);
  } finally {
    $r();
  }
}
function wo(e, t) {
  (this.x = e),
    (this.j = void 0),
    (this.s = void 0),
    (this.u = void 0),
    (this.f = 32),
    (this.name = t?.name),
    Yo && Yo.push(this);
}
wo.prototype.c = function () {
  var e = this.S();
  try {
    if (8 & this.f || this.x === void 0) return;
    var t = this.x();
    typeof t == 'function' && (this.j = t);
  } finally {
    e();
  }
};
wo.prototype.S = function () {
  if (1 & this.f) throw new Error('Cycle detected');
  (this.f |= 1), (this.f &= -9), va(this), ma(this), en++;
  var e = ke;
  return ((ke = this), sp.bind(this, e));
};
wo.prototype.N = function () {
  2 & this.f || ((this.f |= 2), (this.u = Jo), (Jo = this));
};
wo.prototype.d = function () {
  (this.f |= 8), 1 & this.f || ii(this);
};
wo.prototype.dispose = function () {
  this.d();
};
function Qe(e, t) {
  var n = new wo(e, t);
  try {
    n.c();
  } catch (r) {
    throw (n.d(), r);
  }
  var o = n.d.bind(n);
  return ((o[Symbol.dispose] = o), o);
}
var ga,
  Hr,
  Ir,
  ap = typeof window < 'u' && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var ya = [];
Qe(function () {
  ga = this.N;
})();
function bo(e, t) {
  oe[e] = t.bind(null, oe[e] || (() => {}));
}
function Zo(e) {
  if (Ir) {
    var t = Ir;
    (Ir = void 0), t();
  }
  Ir = e && e.S();
}
function wa(e) {
  var n = e.data,
    o = cp(n);
  (o.name = 'ReactiveDom'), (o.value = n);
  var r = Lr(() => {
      for (var u = this, d = this.__v; (d = d.__); )
        if (d.__c) {
          d.__c.__$f |= 4;
          break;
        }
      var h = Me(() => {
          var v = o.value.value;
          return v === 0 ? 0 : v === !0 ? '' : v || '';
        }),
        _ = Me(() => !Array.isArray(h.value) && !jl(h.value)),
        g = Qe(function () {
          if (((this.N = ba), _.value)) {
            var v = h.value;
            u.__v && u.__v.__e && u.__v.__e.nodeType === 3 && (u.__v.__e.data = v);
          }
        }),
        w = this.__$u.d;
      return (
        (this.__$u.d = function () {
          g(), w.call(this);
        }),
        [_, h]
      );
    }, []),
    l = r[0],
    s = r[1];
  return l.value ? s.peek() : s.value;
}
wa.displayName = 'ReactiveTextNode';
Object.defineProperties($e.prototype, {
  constructor: { configurable: !0, value: js(Ye, null).constructor },
  type: { configurable: !0, value: wa },
  props: {
    configurable: !0,
    get: function () {
      var e = this;
      return {
        data: {
          get value() {
            return e.value;
          },
        },
      };
    },
  },
  __b: { configurable: !0, value: 1 },
});
bo('__b', (e, t) => {
  if ((Zo(), (Hr = void 0), typeof t.type == 'string')) {
    var n,
      o = t.props;
    for (var r in o)
      if (r !== 'children') {
        var l = o[r];
        l instanceof $e && (n || (t.__np = n = {}), (n[r] = l), (o[r] = l.peek()));
      }
  }
  e(t);
});
bo('__r', (e, t) => {
  if ((e(t), t.type !== Ye)) {
    Zo();
    var n,
      o = t.__c;
    o &&
      ((o.__$f &= -2),
      (n = o.__$u) === void 0 &&
        (o.__$u = n =
          ((r, l) => {
            var s;
            return (
              Qe(
                function () {
                  s = this;
                },
                { name: l },
              ),
              (s.c = r),
              s
            );
          })(
            ((r) =>
              function () {
                var l;
                ap && ((l = this.y) == null || l.call(this)), (r.__$f |= 1), r.setState({});
              })(o),
            typeof t.type == 'function' ? t.type.displayName || t.type.name : '',
          ))),
      (Hr = o),
      Zo(n);
  }
});
bo('__e', (e, t, n, o) => {
  Zo(), (Hr = void 0), e(t, n, o);
});
bo('diffed', (e, t) => {
  Zo(), (Hr = void 0);
  var n;
  if (typeof t.type == 'string' && (n = t.__e)) {
    var o = t.__np,
      r = t.props,
      l = n.U;
    if (l)
      for (var s in l) {
        var u = l[s];
        u === void 0 || (o && s in o) || (u.d(), (l[s] = void 0));
      }
    if (o) {
      l || ((l = {}), (n.U = l));
      for (var d in o) {
        var h = l[d],
          _ = o[d];
        h === void 0 ? ((h = up(n, d, _, r)), (l[d] = h)) : h.o(_, r);
      }
    }
  }
  e(t);
});
function up(e, t, n, o) {
  var r = t in e && e.ownerSVGElement === void 0,
    l = ee(n);
  return {
    o: (s, u) => {
      (l.value = s), (o = u);
    },
    d: Qe(function () {
      this.N = ba;
      var s = l.value.value;
      o[t] !== s &&
        ((o[t] = s),
        r
          ? (e[t] = s)
          : s != null && (s !== !1 || t[4] === '-')
            ? e.setAttribute(t, s)
            : e.removeAttribute(t));
    }),
  };
}
bo('unmount', (e, t) => {
  if (typeof t.type == 'string') {
    var n = t.__e;
    if (n) {
      var o = n.U;
      if (o) {
        n.U = void 0;
        for (var r in o) {
          var l = o[r];
          l && l.d();
        }
      }
    }
    var s = t.__np;
    if (s) {
      var u = t.props;
      for (var d in s) u[d] = s[d];
    }
    t.__np = void 0;
  } else {
    var h = t.__c;
    if (h) {
      h.__$f |= 8;
      var _ = h.__$u;
      _ && ((h.__$u = void 0), _.d());
    }
  }
  e(t);
});
bo('__h', (e, t, n, o) => {
  o < 3 && (t.__$f |= 2), e(t, n, o);
});
go.prototype.shouldComponentUpdate = function (e, t) {
  if (this.__R) return !0;
  var n = this.__$u,
    o = n && n.s !== void 0;
  for (var r in t) return !0;
  if (this.__f || (typeof this.u == 'boolean' && this.u === !0)) {
    var l = 2 & this.__$f;
    if (!(o || l || 4 & this.__$f) || 1 & this.__$f) return !0;
  } else if (!(o || 4 & this.__$f) || 3 & this.__$f) return !0;
  for (var s in e) if (s !== '__source' && e[s] !== this.props[s]) return !0;
  for (var u in this.props) if (!(u in e)) return !0;
  return !1;
};
function cp(e, t) {
  return Lr(() => ee(e, t), []);
}
var fp = (e) => {
  queueMicrotask(() => {
    queueMicrotask(e);
  });
};
function pp() {
  yo(() => {
    for (var e; (e = ya.shift()); ) ga.call(e);
  });
}
function ba() {
  ya.push(this) === 1 && (oe.requestAnimationFrame || fp)(pp);
}
var Wr = class extends Error {
  constructor(t, n) {
    super(t),
      (this.name = 'ParseError'),
      (this.type = n.type),
      (this.field = n.field),
      (this.value = n.value),
      (this.line = n.line);
  }
};
function si(e) {}
function Sa(e) {
  if (typeof e == 'function')
    throw new TypeError(
      '`callbacks` must be an object, got a function instead. Did you mean `{onEvent: fn}`?',
    );
  let { onEvent: t = si, onError: n = si, onRetry: o = si, onComment: r } = e,
    l = '',
    s = !0,
    u,
    d = '',
    h = '';
  function _(k) {
    const T = s ? k.replace(/^\xEF\xBB\xBF/, '') : k,
      [A, b] = dp(`${l}${T}`);
    for (const R of A) g(R);
    (l = b), (s = !1);
  }
  function g(k) {
    if (k === '') {
      v();
      return;
    }
    if (k.startsWith(':')) {
      r && r(k.slice(k.startsWith(': ') ? 2 : 1));
      return;
    }
    const T = k.indexOf(':');
    if (T !== -1) {
      const A = k.slice(0, T),
        b = k[T + 1] === ' ' ? 2 : 1,
        R = k.slice(T + b);
      w(A, R, k);
      return;
    }
    w(k, '', k);
  }
  function w(k, T, A) {
    switch (k) {
      case 'event':
        h = T;
        break;
      case 'data':
        d = `${d}${T}
`;
        break;
      case 'id':
        u = T.includes('\0') ? void 0 : T;
        break;
      case 'retry':
        /^\d+$/.test(T)
          ? o(parseInt(T, 10))
          : n(new Wr(`Invalid \`retry\` value: "${T}"`, { type: 'invalid-retry', value: T, line: A }));
        break;
      default:
        n(
          new Wr(`Unknown field "${k.length > 20 ? `${k.slice(0, 20)}…` : k}"`, {
            type: 'unknown-field',
            field: k,
            value: T,
            line: A,
          }),
        );
        break;
    }
  }
  function v() {
    d.length > 0 &&
      t({
        id: u,
        event: h || void 0,
        data: d.endsWith(`
`)
          ? d.slice(0, -1)
          : d,
      }),
      (u = void 0),
      (d = ''),
      (h = '');
  }
  function x(k = {}) {
    l && k.consume && g(l), (s = !0), (u = void 0), (d = ''), (h = ''), (l = '');
  }
  return { feed: _, reset: x };
}
function dp(e) {
  let t = [],
    n = '',
    o = 0;
  for (; o < e.length; ) {
    let r = e.indexOf('\r', o),
      l = e.indexOf(
        `
`,
        o,
      ),
      s = -1;
    if (
      (r !== -1 && l !== -1
        ? (s = Math.min(r, l))
        : r !== -1
          ? r === e.length - 1
            ? (s = -1)
            : (s = r)
          : l !== -1 && (s = l),
      s === -1)
    ) {
      n = e.slice(o);
      break;
    } else {
      const u = e.slice(o, s);
      t.push(u),
        (o = s + 1),
        e[o - 1] === '\r' &&
          e[o] ===
            `
` &&
          o++;
    }
  }
  return [t, n];
}
var Fn = class {
  #e;
  #r;
  #n;
  #t;
  constructor({ first_ms: t, most_ms: n }, o = Math.random) {
    (this.#e = o), (this.#r = n), (this.#n = this.#t = t);
  }
  next(t = 0) {
    const n = this.#e() * this.#t;
    return ((this.#t = Math.min(this.#t * 2, this.#r)), Math.max(n, t));
  }
  reset(t) {
    (this.#n = Math.min(t || this.#n, this.#r)), (this.#t = this.#n);
  }
};
var Ur = {
  now: () => performance.now(),
  after(e, t) {
    const n = setTimeout(t, e);
    return () => clearTimeout(n);
  },
};
function Qo(e, t, n) {
  return new Promise((o, r) => {
    n.throwIfAborted();
    const l = () => {
        s(), r(n.reason);
      },
      s = t.after(e, () => {
        n.removeEventListener('abort', l), o();
      });
    n.addEventListener('abort', l, { once: !0 });
  });
}
var Pt = class extends Error {
    status;
    code;
    constructor(t, n) {
      super(`refused with ${t}${n === null ? '' : ` ${n}`}`),
        (this.name = 'RefusedError'),
        (this.status = t),
        (this.code = n);
    }
  },
  hp = { first_ms: 250, most_ms: 1e4 },
  mp = 9e4;
async function ai(e, t) {
  const { clock: n } = e,
    o = new Fn(hp, e.random),
    r = (l, s, u = 0) => e.onState?.(l, s, u);
  try {
    for (; !t.aborted; ) {
      r('connecting');
      let l,
        s = 0;
      try {
        const d = await _p(e, t);
        r('open'), o.reset(), await vp(d, e, o, t);
      } catch (d) {
        if (d instanceof Vr) throw d.cause;
        if (t.aborted || d instanceof Pt) throw d;
        d instanceof Br && (s = d.after_ms), (l = d);
      }
      const u = o.next(s);
      r('waiting', l, u), await Qo(u, n, t);
    }
  } catch (l) {
    if ((r('closed', l), !t.aborted)) throw l;
    return;
  }
  r('closed');
}
var Br = class extends Error {
    after_ms;
    constructor(t, n) {
      super(`refused with ${t} for now`), (this.name = 'LaterError'), (this.after_ms = n);
    }
  },
  Vr = class extends Error {
    constructor(t) {
      super('a callback failed', { cause: t });
    }
  };
async function _p(e, t) {
  const n = await e.fetch(e.url(), {
    headers: { accept: 'text/event-stream', ...e.headers },
    cache: 'no-store',
    signal: t,
  });
  if (n.status === 200 && n.body !== null) return n;
  const o = await zr(n);
  throw xa(n.status) ? new Br(n.status, ka(n.headers)) : new Pt(n.status, o);
}
async function vp(e, { clock: t, onMessage: n }, o, r) {
  let l = e.body.getReader(),
    s = new TextDecoder(),
    u = [],
    d = Sa({ onEvent: (_) => u.push(_), onRetry: (_) => o.reset(_) }),
    h = () => {};
  try {
    for (;;) {
      const _ = new Promise((v, x) => {
          h = t.after(mp, () => x(new Error('the stream fell silent')));
        }),
        { done: g, value: w } = await Promise.race([l.read(), _]);
      if ((h(), r.throwIfAborted(), g)) return;
      d.feed(s.decode(w, { stream: !0 }));
      for (const v of u.splice(0)) {
        try {
          const x = n(v);
          x !== void 0 && (await x);
        } catch (x) {
          throw new Vr(x);
        }
        r.throwIfAborted();
      }
    }
  } finally {
    h(), l.cancel().catch(() => {});
  }
}
async function zr(e) {
  try {
    const { code: t } = await e.json();
    return typeof t == 'string' ? t : null;
  } catch {
    return null;
  }
}
function xa(e) {
  return e === 408 || e === 429 || e >= 500;
}
function ka(e) {
  const t = e.get('retry-after');
  if (t === null) return 0;
  if (/^\s*\d+\s*$/.test(t)) return Number(t) * 1e3;
  const n = Date.parse(t);
  return Number.isNaN(n) ? 0 : Math.max(0, n - Date.now());
}
function Gr({ baseUrl: e = '', token: t, fetch: n, clock: o, random: r }) {
  return {
    baseUrl: e.replace(/\/+$/, ''),
    headers: t === void 0 ? {} : { authorization: `Bearer ${t}` },
    fetch: n ?? ((l, s) => globalThis.fetch(l, s)),
    clock: o ?? Ur,
    random: r ?? Math.random,
  };
}
var ui = '18446744073709551615',
  yp = /^(?:0|[1-9][0-9]*)$/;
function qr(e) {
  return typeof e == 'string' && e.length <= ui.length && yp.test(e) && (e.length < ui.length || e <= ui);
}
function So(e, t) {
  return e === t ? 0 : e.length !== t.length ? (e.length < t.length ? -1 : 1) : e < t ? -1 : 1;
}
function ci(e, t) {
  return So(e, t) < 0 ? t : e;
}
var jr = class {
  #e;
  #r;
  #n;
  #t;
  #o;
  #l = !1;
  #a = !1;
  constructor(t, n, o) {
    (this.#e = t), (this.#r = n), (this.#n = o);
  }
  want() {
    if (this.#a) return;
    const { debounce_ms: t } = this.#e;
    if (t === 0) {
      this.#u();
      return;
    }
    this.#t?.(), (this.#t = this.#r.after(t, () => this.#u()));
  }
  stop() {
    (this.#a = !0), this.#t?.(), this.#o?.();
  }
  #u() {
    const { throttle_ms: t, leading: n } = this.#e;
    t === 0 ? this.#n() : this.#o !== void 0 ? (this.#l = !0) : ((this.#l = !n), this.#s(), n && this.#n());
  }
  #s() {
    this.#o = this.#r.after(this.#e.throttle_ms, () => {
      (this.#o = void 0), !(!this.#l || !this.#e.trailing) && ((this.#l = !1), this.#s(), this.#n());
    });
  }
};
var wp = { throttle_ms: 16, debounce_ms: 0, leading: !0, trailing: !0 },
  bp = { first_ms: 100, most_ms: 1e4 },
  Xo = class {
    counts = { invalidations: 0, fetches: 0, applies: 0, unchanged: 0, stale: 0 };
    #e;
    #r;
    #n;
    #t;
    #o = new AbortController();
    #l = new Set();
    #a;
    #u;
    #s = null;
    #i = null;
    #p = !1;
    #c = !1;
    #d;
    constructor(t) {
      (this.#e = t),
        (this.#r = t.clock ?? Ur),
        (this.#t = new Fn(bp, t.random)),
        (this.#n = new jr({ ...wp, ...t.pace }, this.#r, () => {
          this.#h() && this.#m();
        })),
        t.signal?.addEventListener('abort', () => this.stop(), { once: !0 }),
        t.signal?.aborted && this.stop();
    }
    get known() {
      return this.#s;
    }
    start() {
      return this.#o.signal.aborted
        ? Promise.reject(this.#o.signal.reason)
        : ((this.#a ??= this.#_().catch((t) => {
            throw ((this.#a = void 0), t);
          })),
          this.#a);
    }
    stop() {
      if (!this.#o.signal.aborted) {
        this.#o.abort(new DOMException('the sync was stopped', 'AbortError')), this.#n.stop(), this.#u?.();
        for (const { reject: t } of this.#l) t(this.#o.signal.reason);
        this.#l.clear();
      }
    }
    refresh() {
      const { signal: t } = this.#o;
      if (t.aborted) return Promise.reject(t.reason);
      const n = new Promise((o, r) => {
        this.#l.add({ target: this.#i, resolve: o, reject: r });
      });
      return (this.#d?.(), this.#m(), n);
    }
    async #_() {
      const { subscribe: t } = this.#e,
        { signal: n } = this.#o;
      try {
        this.#u = await t((o) => this.#v(o), n);
      } catch (o) {
        throw (this.#f('subscribe', o), o);
      }
      n.aborted && this.#u(), await this.refresh();
    }
    #v(t) {
      if (this.#o.signal.aborted) return;
      if (!Sp(t)) {
        this.#f('protocol', new TypeError('no invalidation'));
        return;
      }
      if (t.topic !== this.#e.topic) return;
      this.counts.invalidations++;
      const { epoch: n, revision: o } = t;
      this.#i?.epoch === n
        ? (this.#i = { epoch: n, revision: ci(this.#i.revision, o) })
        : (this.#i = { epoch: n, revision: o }),
        this.#h() && this.#n.want();
    }
    #h() {
      const [t, n] = [this.#s, this.#i];
      return n !== null && (t?.epoch !== n.epoch || Ta(t, n));
    }
    #m() {
      (this.#c = !0), this.#p || this.#g();
    }
    async #g() {
      const { signal: t } = this.#o;
      for (this.#p = !0; this.#c && !t.aborted; ) {
        this.#c = !1;
        const n = new Set(this.#l),
          o = await this.#y();
        if (t.aborted) break;
        o && this.#b(n), o && !this.#h() ? this.#t.reset() : this.#c || (await this.#S(), (this.#c = !0));
      }
      this.#p = !1;
    }
    async #y() {
      let { signal: t } = this.#o,
        n;
      try {
        this.counts.fetches++, (n = await this.#e.fetch(this.#s, t));
      } catch (l) {
        return (t.aborted || this.#f('fetch', l), !1);
      }
      if (t.aborted) return !1;
      if (n === null) return (this.counts.unchanged++, this.#s !== null);
      const { epoch: o, revision: r } = n;
      return typeof o != 'string' || !qr(r)
        ? (this.#f('protocol', new TypeError('no snapshot')), !1)
        : this.#w(n, { epoch: o, revision: r });
    }
    async #w(t, n) {
      const { signal: o } = this.#o,
        r = this.#s,
        l = r?.epoch !== n.epoch;
      if (
        (this.#i?.epoch === n.epoch && So(n.revision, this.#i.revision) < 0 && this.counts.stale++,
        !l && So(n.revision, r.revision) <= 0)
      )
        return (this.counts.unchanged++, !0);
      try {
        await this.#e.apply(t, l || t.reset === !0);
      } catch (s) {
        return (this.#f('apply', s), !1);
      }
      return o.aborted
        ? !1
        : (this.counts.applies++,
          (this.#s = n),
          this.#i !== null && this.#i.epoch !== n.epoch && r?.epoch === this.#i.epoch && (this.#i = null),
          !0);
    }
    #b(t) {
      for (const n of t) {
        const { target: o } = n;
        (o !== null && o.epoch === this.#s?.epoch && Ta(this.#s, o)) || (this.#l.delete(n) && n.resolve());
      }
    }
    async #S() {
      const t = new AbortController();
      this.#d = () => t.abort();
      const n = AbortSignal.any([this.#o.signal, t.signal]);
      try {
        await Qo(this.#t.next(), this.#r, n);
      } catch {
      } finally {
        this.#d = void 0;
      }
    }
    #f(t, n) {
      try {
        this.#e.onError?.(t, n);
      } catch {}
    }
  };
function Ta(e, t) {
  return So(e.revision, t.revision) < 0;
}
function Sp(e) {
  if (typeof e != 'object' || e === null) return !1;
  const { topic: t, revision: n, epoch: o } = e;
  return typeof t == 'string' && t.trim() !== '' && typeof o == 'string' && qr(n);
}
var er = class {
  #e;
  #r;
  #n = new Set();
  #t;
  constructor(t) {
    (this.#e = t), (this.#r = Gr(t));
  }
  of(t, { limit: n, deltas: o = !1 } = {}) {
    if (!this.#e.topics.includes(t)) throw new TypeError(`not among the topics: ${t}`);
    const { baseUrl: r, headers: l, fetch: s } = this.#r;
    return {
      topic: t,
      subscribe: async (u) => this.#o(u),
      fetch: async (u, d) => {
        const h = new URLSearchParams();
        n && h.set('limit', String(n)), u && o && (h.set('since', u.revision), h.set('epoch', u.epoch));
        const _ = await s(`${r}/api/snapshot/${Ea(t)}?${h}`, {
          headers: u ? { ...l, 'if-none-match': `W/"${u.epoch}-${u.revision}"` } : l,
          cache: 'no-store',
          signal: d,
        });
        if (_.status === 304) return null;
        if (!_.ok) throw new Pt(_.status, await zr(_));
        const g = await _.json();
        return o ? { ...g, reset: g.since === void 0 } : g;
      },
    };
  }
  #o(t) {
    return (
      this.#n.add(t),
      (this.#t ??= this.#l()),
      () => {
        !this.#n.delete(t) || this.#n.size > 0 || (this.#t?.abort(), (this.#t = void 0));
      }
    );
  }
  #l() {
    const { topics: t, min_interval_ms: n = 0 } = this.#e,
      o = new URLSearchParams({ mode: 'invalidate', min_interval_ms: String(n), topics: t.map(Ea).join() }),
      r = new AbortController();
    return (
      ai(
        {
          ...this.#r,
          url: () => `${this.#r.baseUrl}/api/stream?${o}`,
          onMessage: ({ event: l, data: s }) => {
            if (l !== 'invalidate') return;
            const u = JSON.parse(s);
            for (const d of this.#n) d(u);
          },
          onState: (...l) => {
            (this.#t ?? r) === r && this.#e.onState?.(...l);
          },
        },
        r.signal,
      )
        .catch(() => {})
        .then(() => {
          this.#t === r && (this.#t = void 0);
        }),
      r
    );
  }
};
function Ea(e) {
  const t = e.indexOf(':') + 1;
  return e.slice(0, t) + encodeURIComponent(e.slice(t));
}
var _t = ee({ state: 'connecting' });
function Pa(e, t, n) {
  e === 'open'
    ? (_t.value = { state: 'live' })
    : e === 'connecting'
      ? (_t.value = { state: e })
      : e === 'waiting'
        ? (_t.value = { state: 'lost', retry_at_ms: performance.now() + n })
        : t instanceof Pt
          ? (_t.value = { state: 'refused', status: t.status })
          : (_t.value = { state: 'asleep' });
}
var Nn = [
  'session_id',
  'agent_type',
  'event_type',
  'tool_name',
  'status',
  'project',
  'branch',
  'model',
  'source',
];
function fi(e) {
  const t = new URLSearchParams(e),
    n = {};
  for (const l of Nn) {
    const s = t.get(l);
    s && (n[l] = s);
  }
  const o = t.get('event') ?? '',
    r = /^[1-9]\d{0,15}$/.test(o) && Number.isSafeInteger(Number(o)) ? Number(o) : null;
  return { filters: n, search: t.get('q') ?? '', event: r };
}
function Ca({ filters: e, search: t, event: n }) {
  const o = tr(e);
  return (t !== '' && o.set('q', t), n !== null && o.set('event', String(n)), o.size === 0 ? '' : `?${o}`);
}
function tr(e) {
  const t = new URLSearchParams();
  for (const n of Nn) {
    const o = e[n];
    o && t.set(n, o);
  }
  return t;
}
function Ma(e) {
  return Nn.every((t) => !e[t]);
}
var Kr = { rows: [], gaps: new Set() },
  Aa = 2e3;
function Ra(e, t) {
  return Da(di(e.rows, t), e.gaps);
}
function Oa(e, t, n) {
  const o = t.at(-1);
  if (o === void 0 || !n) return { rows: t, gaps: new Set() };
  const r = e.rows[0],
    l = [...e.gaps].filter((s) => s <= o.id);
  return ((r === void 0 || r.id < o.id) && l.push(o.id), Da(di(e.rows, t), new Set(l)));
}
function pi(e, t, n, o) {
  const r = o ? (n.at(-1)?.id ?? t) : 0,
    l = [...e.gaps].filter((d) => d > t || d <= r),
    s = e.rows.some(({ id: d }) => d < t && d >= r),
    u = di(e.rows, n);
  return (o && !s && l.push(r), { rows: u, gaps: new Set(l) });
}
function La(e, t) {
  const n = t.rows[0]?.id ?? 0,
    o = e.rows.findIndex(({ id: l }) => l <= n),
    r = o < 0 ? e.rows : e.rows.slice(0, o);
  return { count: r.length, isMore: n > 0 && r.some(({ id: l }) => e.gaps.has(l)) };
}
function di(e, t) {
  if (e.length === 0) return t;
  let n = [],
    [o, r] = [0, 0];
  for (; o < e.length || r < t.length; ) {
    const [l, s] = [e[o]?.id ?? -1, t[r]?.id ?? -1];
    n.push(l >= s ? e[o] : t[r]), l >= s && o++, s >= l && r++;
  }
  return n;
}
function Da(e, t) {
  if (e.length <= Aa) return { rows: e, gaps: t };
  const n = e.slice(0, Aa),
    o = n.at(-1).id;
  return { rows: n, gaps: new Set([...t].filter((r) => r > o).concat(o)) };
}
async function hi(e, t = null) {
  const n = await fetch(e, { cache: 'no-store', signal: t });
  if (!n.ok) throw new Pt(n.status, null);
  return n;
}
async function Nt(e, t = null) {
  return await (await hi(e, t)).json();
}
var mi = fi(location.search),
  Ee = ee(mi.filters),
  $t = ee(mi.search),
  vt = ee(mi.event),
  $n = Me(() => !Ma(Ee.value));
function tn(e, t) {
  const { [e]: n, ...o } = Ee.value;
  Ee.value = t ? { ...o, [e]: t } : o;
}
function Fa() {
  Ee.value = {};
}
function Na() {
  Qe(() => {
    const e = Ca({ filters: Ee.value, search: $t.value, event: vt.value });
    e !== location.search && history.replaceState(null, '', `${location.pathname}${e}`);
  }),
    addEventListener('popstate', () => {
      const e = fi(location.search);
      (Ee.value = e.filters), ($t.value = e.search), (vt.value = e.event);
    });
}
var Jr = 200,
  In = ee(Kr),
  xo = ee(Kr),
  Yr = null,
  _i = null,
  or = ee(!1),
  _n = ee(!1),
  vi = ee(!1),
  Je = ee(null),
  gi = Me(() => _n.value || vi.value || Je.value !== null || vt.value !== null),
  Ia = Me(() => {
    const [e, t] = [In.value.rows[0]?.id, xo.value.rows[0]?.id];
    return !$n.value && e !== void 0 && t !== void 0 ? { count: e - t, isMore: !1 } : La(In.value, xo.value);
  }),
  nr = ee(null),
  Hn = Me(() => {
    const { rows: e, gaps: t } = xo.value,
      n = $t.value.trim().toLowerCase(),
      o = [];
    return (
      e.forEach((r, l) => {
        if (((n === '' || xp(r).includes(n)) && o.push({ row: r }), !t.has(r.id))) return;
        const s = l === e.length - 1;
        if (n !== '' && !s) return;
        const u = $n.value ? null : r.id - 1 - (e[l + 1]?.id ?? 0);
        u !== 0 && o.push({ gap: r.id, missing: u });
      }),
      o
    );
  });
function Ha(e, t, n, o) {
  yo(() => {
    const r = Yr !== t || _i !== Ee.value,
      l = r ? Kr : In.value;
    (In.value = n || r ? Oa(l, e, o) : Ra(l, e)),
      (Yr = t),
      (_i = Ee.value),
      (or.value = !0),
      r && ((Je.value = null), Zr());
  });
}
function Zr() {
  xo.value = In.value;
}
async function Wa(e) {
  if (nr.value !== null) return;
  nr.value = e;
  const t = tr(Ee.value),
    [n, o] = [Ee.value, Yr];
  t.set('before', String(e)), t.set('limit', String(Jr));
  try {
    const { events: r, next: l } = await Nt(`/api/events?${t}`);
    if (n !== Ee.value || o !== Yr) return;
    yo(() => {
      (In.value = pi(In.value, e, r, l !== null)), (xo.value = pi(xo.value, e, r, l !== null));
    });
  } catch {
  } finally {
    nr.value = null;
  }
}
function Ua() {
  Qe(() => {
    gi.value || Zr();
  }),
    Qe(() => {
      Ee.value !== _i && (or.value = !1);
    });
}
var $a = new WeakMap();
function xp(e) {
  let t = $a.get(e);
  return (
    t === void 0 &&
      ((t = Object.values(e)
        .map((n) => (typeof n == 'object' ? JSON.stringify(n) : String(n)))
        .join(`
`)
        .toLowerCase()),
      $a.set(e, t)),
    t
  );
}
var kp = Symbol.for('pv'),
  Tp = 0;
function f(e, t, n, o, r, l) {
  t || (t = {});
  var s,
    u,
    d = t;
  if ('ref' in d && typeof e != 'function') for (u in ((d = {}), t)) u == 'ref' ? (s = t[u]) : (d[u] = t[u]);
  var h = {
    type: e,
    props: d,
    key: n,
    ref: s,
    __k: null,
    __: null,
    __b: 0,
    __e: null,
    __c: null,
    constructor: kp,
    __v: --Tp,
    __i: -1,
    __u: 0,
  };
  return ((r || l) && ((h.__source = r), (h.__self = l)), oe.vnode && oe.vnode(h), h);
}
function Ba() {
  const [e, t] = mt(''),
    { state: n } = _t.value,
    [o, r] = mt(!1);
  rt(() => {
    n === 'lost' && !o
      ? (r(!0), t('Connection lost, retrying'))
      : n === 'live' && o && (r(!1), t('Connected again'));
  }, [n, o]);
  const l = _n.value,
    [s, u] = mt(!1);
  return (
    rt(() => {
      l !== s && (u(l), t(l ? 'The feed is paused' : 'The feed goes on'));
    }, [l, s]),
    f('div', { class: 'unseen', role: 'status', children: e })
  );
}
var Ep = ['', 'k', 'M', 'G', 'T', 'P', 'E'],
  Pp = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
function ye(e) {
  return e.toLocaleString('en-US', { maximumFractionDigits: 0 });
}
function ut(e) {
  return Va(e, Ep, '');
}
function rr(e) {
  return Va(e, Pp, ' ');
}
function Va(e, t, n) {
  let [o, r] = [e, 0];
  for (; o >= 999.5 && r < t.length - 1; ) (o /= 1e3), r++;
  const l = r === 0 || o >= 99.95 ? 0 : o >= 9.995 ? 1 : 2;
  return `${o.toFixed(l)}${n}${t[r]}`.trimEnd();
}
function Ct(e) {
  return e >= 1e3 ? `$${ut(e)}` : `$${e.toFixed(e === 0 || e >= 1 ? 2 : e >= 0.01 ? 3 : 4)}`;
}
function ko(e) {
  return e < 1e3
    ? `${e < 10 && !Number.isInteger(e) ? e.toFixed(1) : Math.round(e)} ms`
    : e < 59950
      ? `${(e / 1e3).toFixed(1)} s`
      : Wn(e);
}
function Wn(e) {
  const t = Math.max(0, Math.round(e / 1e3));
  return t < 60
    ? `${t} s`
    : t < 3600
      ? yi(t, 60, 'm', 's')
      : t < 86400
        ? yi(Math.floor(t / 60), 60, 'h', 'm')
        : yi(Math.floor(t / 3600), 24, 'd', 'h');
}
function yi(e, t, n, o) {
  const r = e % t,
    l = `${Math.floor(e / t)} ${n}`;
  return r === 0 ? l : `${l} ${r} ${o}`;
}
function Xr(e) {
  const t = e * 100;
  return `${t === 0 || t >= 9.95 ? t.toFixed(0) : t.toFixed(1)} %`;
}
function wi(e) {
  return `${[e.getFullYear(), Qr(e.getMonth() + 1), Qr(e.getDate())].join('-')} ${lr(e)}`;
}
function lr(e) {
  return `${[e.getHours(), e.getMinutes(), e.getSeconds()].map((n) => Qr(n)).join(':')}.${Qr(e.getMilliseconds(), 3)}`;
}
function Qr(e, t = 2) {
  return String(e).padStart(t, '0');
}
var Cp = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
function Ae(e, t = 400) {
  return (e.length > t ? `${e.slice(0, t)}…` : e).replace(Cp, (o) =>
    /\s/.test(o) && o !== '\uFEFF' ? ' ' : `\\u${o.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
var el = class {
  #e = new Map();
  #r = new Set();
  #n;
  #t = null;
  #o = 1 / 0;
  constructor(t) {
    this.#n = t;
  }
  hear(t, n) {
    const o = Math.floor(t / 1e3),
      r = this.#t === null ? 0 : Math.max(0, n - this.#t);
    (this.#t = n), (this.#o = Math.min(this.#o, o)), this.#e.set(o, (this.#e.get(o) ?? 0) + r);
  }
  lose() {
    this.#t = null;
  }
  tick(t) {
    const n = Math.floor(t / 1e3);
    this.#t === null && this.#r.add(n);
    const o = n - this.#n - 1;
    for (const r of this.#e.keys()) r < o && this.#e.delete(r);
    for (const r of this.#r) r < o && this.#r.delete(r);
  }
  series(t) {
    const n = Math.floor(t / 1e3),
      o = Array.from({ length: this.#n }, (l, s) => n - this.#n + s),
      r = (l) => l < this.#o || this.#r.has(l);
    return [o, o.map((l) => this.#e.get(l) ?? (r(l) ? null : 0))];
  }
  recent(t) {
    const [, n] = this.series(t);
    return n.slice(-5).reduce((o, r) => o + (r ?? 0), 0) / 5;
  }
};
function za(e, t, n) {
  const o = t - Date.parse(e.last_event_at);
  return e.ended_at !== null || o >= 2 * n ? 'ended' : o >= n ? 'idle' : 'active';
}
function Ga(e, t) {
  let [n, o] = [0, 1 / 0];
  for (const { status: l, ended_at: s, last_event_at: u } of e) {
    const d = t - Date.parse(u);
    l === 'active'
      ? (n = Math.max(n, d))
      : l === 'idle'
        ? ((n = Math.max(n, d / 2)), (o = Math.min(o, d)))
        : s === null && (o = Math.min(o, d / 2));
  }
  if (3e5 > n && 3e5 <= o) return 3e5;
  const r = 3e5 <= n ? Math.floor(n / 6e4) + 1 : Math.floor(o / 6e4);
  return Math.max(1, r) * 6e4;
}
var It = ee(Date.now()),
  ja = 0,
  Ka = new Set();
function Ya(e) {
  Ka.add(e);
}
function Ja(e) {
  const t = Date.parse(e ?? '') - Date.now();
  ja = Math.abs(t) < 2e3 || Number.isNaN(t) ? 0 : t;
}
function Si() {
  return Date.now() + ja;
}
var bi;
function Za() {
  qa(), (bi ??= setInterval(qa, 1e3));
}
function Qa() {
  clearInterval(bi), (bi = void 0);
}
function qa() {
  It.value = Si();
  for (const e of Ka) e();
}
var xi = 300,
  vn = ee(null),
  nl = ee(null),
  Un = ee(null),
  To = ee(null),
  gn = new el(xi),
  tl = ee(null),
  Xa = ee(0);
function ki(e) {
  (tl.value = e), (Xa.value = Ga(e.sessions, Si()));
}
var ir = Me(
    () =>
      tl.value?.sessions.map((e) => ({
        session: e,
        status: za(e, It.value, Xa.value),
        age_ms: It.value - Date.parse(e.last_event_at),
      })) ?? null,
  ),
  eu = Me(() => tl.value !== null && tl.value.next !== null);
function sr({ name: e, value: t }) {
  const n = Ee.value[e] === t,
    o = Ae(t);
  return f('button', {
    type: 'button',
    class: 'link text',
    'aria-pressed': n,
    title: o,
    onClick: () => tn(e, n ? void 0 : t),
    children: o,
  });
}
function nn({ id: e, title: t, more: n, children: o }) {
  return f('section', {
    class: 'panel',
    'aria-labelledby': `${e}-title`,
    children: [
      f('div', {
        class: 'panel-head',
        children: [
          f('h2', { id: `${e}-title`, children: t }),
          n !== void 0 && f('span', { class: 'dim', children: n }),
        ],
      }),
      o,
    ],
  });
}
function Bn(e, t) {
  const [n, o] = mt(!1);
  if (e.length <= t) return [e, null];
  const r = f('button', {
    type: 'button',
    class: 'quiet wide',
    'aria-expanded': n,
    onClick: () => o(!n),
    children: n ? 'Show fewer' : `Show all ${e.length}`,
  });
  return [n ? e : e.slice(0, t), r];
}
function Vn({ children: e }) {
  return f('p', { class: 'empty', children: e });
}
var ou = 6;
function ru() {
  return f(Ye, {
    children: [
      f(tu, { id: 'models', title: 'Models', name: 'model', list: Un.value?.by_model ?? null }),
      f(tu, { id: 'projects', title: 'Projects', name: 'project', list: Un.value?.by_project ?? null }),
      f(nu, { id: 'branches', title: 'Branches', name: 'branch', list: vn.value?.branches ?? null }),
      f(nu, { id: 'agents', title: 'Agents', name: 'agent_type', list: vn.value?.agents ?? null }),
    ],
  });
}
function tu({ id: e, title: t, name: n, list: o }) {
  const [r, l] = Bn(o ?? [], ou);
  return f(nn, {
    id: e,
    title: t,
    children: [
      o?.length === 0
        ? f(Vn, { children: 'No event has named one.' })
        : f('table', {
            'aria-labelledby': `${e}-title`,
            children: [
              f('thead', {
                children: f('tr', {
                  children: [
                    f('th', { scope: 'col', children: 'Name' }),
                    f('th', { scope: 'col', class: 'number', children: 'Events' }),
                    f('th', { scope: 'col', class: 'number', children: 'Tokens' }),
                    f('th', { scope: 'col', class: 'number', children: 'Cost' }),
                  ],
                }),
              }),
              f('tbody', {
                children: r.map((s) =>
                  f(
                    'tr',
                    {
                      children: [
                        f('th', { scope: 'row', children: f(sr, { name: n, value: s.name }) }),
                        f('td', { class: 'number', children: ye(s.event_count) }),
                        f('td', { class: 'number', children: ut(s.tokens_in + s.tokens_out) }),
                        f('td', { class: 'number', children: Ct(s.cost_usd) }),
                      ],
                    },
                    s.name,
                  ),
                ),
              }),
            ],
          }),
      l,
    ],
  });
}
function nu({ id: e, title: t, name: n, list: o }) {
  const [r, l] = Bn(o ?? [], ou),
    s = Math.max(1, ...(o ?? []).map(({ count: u }) => u));
  return f(nn, {
    id: e,
    title: t,
    children: [
      o?.length === 0 && f(Vn, { children: 'No event has named one.' }),
      f('ul', {
        class: 'counts',
        children: r.map((u) =>
          f(
            'li',
            {
              children: [
                f(sr, { name: n, value: u.name }),
                f('span', {
                  class: 'bar',
                  'aria-hidden': 'true',
                  children: f('span', { style: { width: `${(u.count / s) * 100}%` } }),
                }),
                f('span', { class: 'number', children: ye(u.count) }),
              ],
            },
            u.name,
          ),
        ),
      }),
      l,
    ],
  });
}
function lu(e, t) {
  const n = new Map(e.map((u) => [Math.floor(Date.parse(u.bucket) / 36e5), u])),
    o = Math.min(t, ...n.keys()),
    r = Math.min(168, Math.max(24, t - o + 1)),
    l = Array.from({ length: r }, (u, d) => t - r + 1 + d),
    s = (u) =>
      l.map((d) => {
        const h = n.get(d);
        return h === void 0 ? 0 : u(h);
      });
  return {
    at: l.map((u) => (u * 36e5) / 1e3),
    tokens_in: s((u) => u.tokens_in),
    tokens_out: s((u) => u.tokens_out),
    cost_usd: s((u) => u.cost_usd),
  };
}
var Mp = 'uplot',
  Ap = 'u-hz',
  Rp = 'u-vt',
  Op = 'u-title',
  Lp = 'u-wrap',
  Dp = 'u-under',
  Fp = 'u-over',
  Np = 'u-axis',
  qn = 'u-off',
  $p = 'u-select',
  Ip = 'u-cursor-x',
  Hp = 'u-cursor-y',
  Wp = 'u-cursor-pt',
  Up = 'u-legend',
  Bp = 'u-live',
  Vp = 'u-inline',
  zp = 'u-series',
  Gp = 'u-marker',
  iu = 'u-label',
  qp = 'u-value',
  ur = 'width',
  cr = 'height';
var su = 'bottom',
  Eo = 'left',
  Ti = 'right',
  Bi = '#000',
  au = Bi + '0',
  Ei = 'mousemove',
  uu = 'mousedown',
  Pi = 'mouseup',
  cu = 'mouseenter',
  fu = 'mouseleave',
  pu = 'dblclick',
  jp = 'resize',
  Kp = 'scroll',
  du = 'change',
  sl = 'dppxchange',
  Vi = '--',
  Lo = typeof window < 'u',
  Oi = Lo ? document : null,
  Co = Lo ? window : null,
  Yp = Lo ? navigator : null,
  ae,
  ol;
function Li() {
  const e = devicePixelRatio;
  ae != e &&
    ((ae = e),
    ol && Fi(du, ol, Li),
    (ol = matchMedia(`(min-resolution: ${ae - 0.001}dppx) and (max-resolution: ${ae + 0.001}dppx)`)),
    jn(du, ol, Li),
    Co.dispatchEvent(new CustomEvent(sl)));
}
function gt(e, t) {
  if (t != null) {
    const n = e.classList;
    !n.contains(t) && n.add(t);
  }
}
function Di(e, t) {
  const n = e.classList;
  n.contains(t) && n.remove(t);
}
function we(e, t, n) {
  e.style[t] = n + 'px';
}
function Ht(e, t, n, o) {
  const r = Oi.createElement(e);
  return (t != null && gt(r, t), n?.insertBefore(r, o), r);
}
function Mt(e, t) {
  return Ht('div', e, t);
}
var hu = new WeakMap();
function Yt(e, t, n, o, r) {
  const l = 'translate(' + t + 'px,' + n + 'px)',
    s = hu.get(e);
  l != s && ((e.style.transform = l), hu.set(e, l), t < 0 || n < 0 || t > o || n > r ? gt(e, qn) : Di(e, qn));
}
var mu = new WeakMap();
function _u(e, t, n) {
  const o = t + n,
    r = mu.get(e);
  o != r && (mu.set(e, o), (e.style.background = t), (e.style.borderColor = n));
}
var vu = new WeakMap();
function gu(e, t, n, o) {
  const r = t + '' + n,
    l = vu.get(e);
  r != l &&
    (vu.set(e, r),
    (e.style.height = n + 'px'),
    (e.style.width = t + 'px'),
    (e.style.marginLeft = o ? -t / 2 + 'px' : 0),
    (e.style.marginTop = o ? -n / 2 + 'px' : 0));
}
var zi = { passive: !0 },
  Jp = { ...zi, capture: !0 };
function jn(e, t, n, o) {
  t.addEventListener(e, n, o ? Jp : zi);
}
function Fi(e, t, n, o) {
  t.removeEventListener(e, n, zi);
}
Lo && Li();
function Wt(e, t, n, o) {
  let r;
  (n = n || 0), (o = o || t.length - 1);
  const l = o <= 2147483647;
  for (; o - n > 1; ) (r = l ? (n + o) >> 1 : yt((n + o) / 2)), t[r] < e ? (n = r) : (o = r);
  return e - t[n] <= t[o] - e ? n : o;
}
function qu(e) {
  return (n, o, r) => {
    let l = -1,
      s = -1;
    for (let u = o; u <= r; u++)
      if (e(n[u])) {
        l = u;
        break;
      }
    for (let u = r; u >= o; u--)
      if (e(n[u])) {
        s = u;
        break;
      }
    return [l, s];
  };
}
var ju = (e) => e != null,
  Ku = (e) => e != null && e > 0,
  cl = qu(ju),
  Zp = qu(Ku);
function Qp(e, t, n, o = 0, r = !1) {
  const l = r ? Zp : cl,
    s = r ? Ku : ju;
  [t, n] = l(e, t, n);
  let u = e[t],
    d = e[t];
  if (t > -1)
    if (o == 1) (u = e[t]), (d = e[n]);
    else if (o == -1) (u = e[n]), (d = e[t]);
    else
      for (let h = t; h <= n; h++) {
        const _ = e[h];
        s(_) && (_ < u ? (u = _) : _ > d && (d = _));
      }
  return [u ?? de, d ?? -de];
}
function fl(e, t, n, o) {
  const r = bu(e),
    l = bu(t);
  e == t && (r == -1 ? ((e *= n), (t /= n)) : ((e /= n), (t *= n)));
  let s = n == 10 ? on : Yu,
    u = r == 1 ? yt : At,
    d = l == 1 ? At : yt,
    h = u(s(He(e))),
    _ = d(s(He(t))),
    g = Mo(n, h),
    w = Mo(n, _);
  return (
    n == 10 && (h < 0 && (g = he(g, -h)), _ < 0 && (w = he(w, -_))),
    o || n == 2 ? ((e = g * r), (t = w * l)) : ((e = Xu(e, g)), (t = pl(t, w))),
    [e, t]
  );
}
function Gi(e, t, n, o) {
  const r = fl(e, t, n, o);
  return (e == 0 && (r[0] = 0), t == 0 && (r[1] = 0), r);
}
var qi = 0.1,
  yu = { mode: 3, pad: qi },
  pr = { pad: 0, soft: null, mode: 0 },
  Xp = { min: pr, max: pr };
function al(e, t, n, o) {
  return dl(n) ? wu(e, t, n) : ((pr.pad = n), (pr.soft = o ? 0 : null), (pr.mode = o ? 3 : 0), wu(e, t, Xp));
}
function ie(e, t) {
  return e ?? t;
}
function ed(e, t, n) {
  for (t = ie(t, 0), n = ie(n, e.length - 1); t <= n; ) {
    if (e[t] != null) return !0;
    t++;
  }
  return !1;
}
function wu(e, t, n) {
  let o = n.min,
    r = n.max,
    l = ie(o.pad, 0),
    s = ie(r.pad, 0),
    u = ie(o.hard, -de),
    d = ie(r.hard, de),
    h = ie(o.soft, de),
    _ = ie(r.soft, -de),
    g = ie(o.mode, 0),
    w = ie(r.mode, 0),
    v = t - e,
    x = on(v),
    k = lt(He(e), He(t)),
    T = on(k),
    A = He(T - x);
  (v < 1e-24 || A > 10) &&
    ((v = 0),
    (e == 0 || t == 0) && ((v = 1e-24), g == 2 && h != de && (l = 0), w == 2 && _ != -de && (s = 0)));
  let b = v || k || 1e3,
    R = on(b),
    E = Mo(10, yt(R)),
    K = b * (v == 0 ? (e == 0 ? 0.1 : 1) : l),
    N = he(Xu(e - K, E / 10), 24),
    Y = e >= h && (g == 1 || (g == 3 && N <= h) || (g == 2 && N >= h)) ? h : de,
    V = lt(u, N < Y && e >= Y ? Y : Ut(Y, N)),
    Z = b * (v == 0 ? (t == 0 ? 0.1 : 1) : s),
    B = he(pl(t + Z, E / 10), 24),
    M = t <= _ && (w == 1 || (w == 3 && B >= _) || (w == 2 && B <= _)) ? _ : -de,
    z = Ut(d, B > M && t <= M ? M : lt(M, B));
  return (V == z && V == 0 && (z = 100), [V, z]);
}
var td = new Intl.NumberFormat(Lo ? Yp.language : 'en-US'),
  ji = (e) => td.format(e),
  wt = Math,
  il = wt.PI,
  He = wt.abs,
  yt = wt.floor,
  Ie = wt.round,
  At = wt.ceil,
  Ut = wt.min,
  lt = wt.max,
  Mo = wt.pow,
  bu = wt.sign,
  on = wt.log10,
  Yu = wt.log2,
  nd = (e, t = 1) => wt.sinh(e) * t,
  Ci = (e, t = 1) => wt.asinh(e / t),
  de = 1 / 0;
function Su(e) {
  return (on((e ^ (e >> 31)) - (e >> 31)) | 0) + 1;
}
function Ni(e, t, n) {
  return Ut(lt(e, t), n);
}
function Ju(e) {
  return typeof e == 'function';
}
function te(e) {
  return Ju(e) ? e : () => e;
}
var od = () => {},
  Zu = (e) => e,
  Qu = (e, t) => t,
  rd = (e) => null,
  xu = (e) => !0,
  ku = (e, t) => e == t,
  ld = /\.\d*?(?=9{6,}|0{6,})/gm,
  Kn = (e) => {
    if (tc(e) || wn.has(e)) return e;
    const t = `${e}`,
      n = t.match(ld);
    if (n == null) return e;
    const o = n[0].length - 1;
    if (t.indexOf('e-') != -1) {
      const [r, l] = t.split('e');
      return +`${Kn(r)}e${l}`;
    }
    return he(e, o);
  };
function zn(e, t) {
  return Kn(he(Kn(e / t)) * t);
}
function pl(e, t) {
  return Kn(At(Kn(e / t)) * t);
}
function Xu(e, t) {
  return Kn(yt(Kn(e / t)) * t);
}
function he(e, t = 0) {
  if (tc(e)) return e;
  const n = 10 ** t,
    o = e * n * (1 + Number.EPSILON);
  return Ie(o) / n;
}
var wn = new Map();
function ec(e) {
  return (('' + e).split('.')[1] || '').length;
}
function hr(e, t, n, o) {
  const r = [],
    l = o.map(ec);
  for (let s = t; s < n; s++) {
    const u = He(s),
      d = he(Mo(e, s), u);
    for (let h = 0; h < o.length; h++) {
      const _ = e == 10 ? +`${o[h]}e${s}` : o[h] * d,
        g = (s >= 0 ? 0 : u) + (s >= l[h] ? 0 : l[h]),
        w = e == 10 ? _ : he(_, g);
      r.push(w), wn.set(w, g);
    }
  }
  return r;
}
var dr = {},
  Ki = [],
  Ao = [null, null],
  yn = Array.isArray,
  tc = Number.isInteger,
  id = (e) => e === void 0;
function Tu(e) {
  return typeof e == 'string';
}
function dl(e) {
  let t = !1;
  if (e != null) {
    const n = e.constructor;
    t = n == null || n == Object;
  }
  return t;
}
function sd(e) {
  return e != null && typeof e == 'object';
}
var ad = Object.getPrototypeOf(Uint8Array),
  nc = '__proto__';
function Ro(e, t = dl) {
  let n;
  if (yn(e)) {
    const o = e.find((r) => r != null);
    if (yn(o) || t(o)) {
      n = Array(e.length);
      for (let r = 0; r < e.length; r++) n[r] = Ro(e[r], t);
    } else n = e.slice();
  } else if (e instanceof ad) n = e.slice();
  else if (t(e)) {
    n = {};
    for (const o in e) o != nc && (n[o] = Ro(e[o], t));
  } else n = e;
  return n;
}
function Le(e) {
  const t = arguments;
  for (let n = 1; n < t.length; n++) {
    const o = t[n];
    for (const r in o) r != nc && (dl(e[r]) ? Le(e[r], Ro(o[r])) : (e[r] = Ro(o[r])));
  }
  return e;
}
var ud = 0,
  cd = 1,
  fd = 2;
function pd(e, t, n) {
  for (let o = 0, r, l = -1; o < t.length; o++) {
    const s = t[o];
    if (s > l) {
      for (r = s - 1; r >= 0 && e[r] == null; ) e[r--] = null;
      for (r = s + 1; r < n && e[r] == null; ) e[(l = r++)] = null;
    }
  }
}
function dd(e, t) {
  if (_d(e)) {
    let s = e[0].slice();
    for (let u = 1; u < e.length; u++) s.push(...e[u].slice(1));
    return (vd(s[0]) || (s = md(s)), s);
  }
  const n = new Set();
  for (let s = 0; s < e.length; s++) {
    const d = e[s][0],
      h = d.length;
    for (let _ = 0; _ < h; _++) n.add(d[_]);
  }
  const o = [Array.from(n).sort((s, u) => s - u)],
    r = o[0].length,
    l = new Map();
  for (let s = 0; s < r; s++) l.set(o[0][s], s);
  for (let s = 0; s < e.length; s++) {
    const u = e[s],
      d = u[0];
    for (let h = 1; h < u.length; h++) {
      const _ = u[h],
        g = Array(r).fill(void 0),
        w = t ? t[s][h] : cd,
        v = [];
      for (let x = 0; x < _.length; x++) {
        const k = _[x],
          T = l.get(d[x]);
        k === null ? w != ud && ((g[T] = k), w == fd && v.push(T)) : (g[T] = k);
      }
      pd(g, v, r), o.push(g);
    }
  }
  return o;
}
var hd = typeof queueMicrotask > 'u' ? (e) => Promise.resolve().then(e) : queueMicrotask;
function md(e) {
  const t = e[0],
    n = t.length,
    o = Array(n);
  for (let l = 0; l < o.length; l++) o[l] = l;
  o.sort((l, s) => t[l] - t[s]);
  const r = [];
  for (let l = 0; l < e.length; l++) {
    const s = e[l],
      u = Array(n);
    for (let d = 0; d < n; d++) u[d] = s[o[d]];
    r.push(u);
  }
  return r;
}
function _d(e) {
  const t = e[0][0],
    n = t.length;
  for (let o = 1; o < e.length; o++) {
    const r = e[o][0];
    if (r.length != n) return !1;
    if (r != t) {
      for (let l = 0; l < n; l++) if (r[l] != t[l]) return !1;
    }
  }
  return !0;
}
function vd(e, t = 100) {
  const n = e.length;
  if (n <= 1) return !0;
  let o = 0,
    r = n - 1;
  for (; o <= r && e[o] == null; ) o++;
  for (; r >= o && e[r] == null; ) r--;
  if (r <= o) return !0;
  const l = lt(1, yt((r - o + 1) / t));
  for (let s = e[o], u = o + l; u <= r; u += l) {
    const d = e[u];
    if (d != null) {
      if (d <= s) return !1;
      s = d;
    }
  }
  return !0;
}
var oc = [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
  rc = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
function lc(e) {
  return e.slice(0, 3);
}
var gd = rc.map(lc),
  yd = oc.map(lc),
  wd = { MMMM: oc, MMM: yd, WWWW: rc, WWW: gd };
function ar(e) {
  return (e < 10 ? '0' : '') + e;
}
function bd(e) {
  return (e < 10 ? '00' : e < 100 ? '0' : '') + e;
}
var Sd = {
  YYYY: (e) => e.getFullYear(),
  YY: (e) => (e.getFullYear() + '').slice(2),
  MMMM: (e, t) => t.MMMM[e.getMonth()],
  MMM: (e, t) => t.MMM[e.getMonth()],
  MM: (e) => ar(e.getMonth() + 1),
  M: (e) => e.getMonth() + 1,
  DD: (e) => ar(e.getDate()),
  D: (e) => e.getDate(),
  WWWW: (e, t) => t.WWWW[e.getDay()],
  WWW: (e, t) => t.WWW[e.getDay()],
  HH: (e) => ar(e.getHours()),
  H: (e) => e.getHours(),
  h: (e) => {
    const t = e.getHours();
    return t == 0 ? 12 : t > 12 ? t - 12 : t;
  },
  AA: (e) => (e.getHours() >= 12 ? 'PM' : 'AM'),
  aa: (e) => (e.getHours() >= 12 ? 'pm' : 'am'),
  a: (e) => (e.getHours() >= 12 ? 'p' : 'a'),
  mm: (e) => ar(e.getMinutes()),
  m: (e) => e.getMinutes(),
  ss: (e) => ar(e.getSeconds()),
  s: (e) => e.getSeconds(),
  fff: (e) => bd(e.getMilliseconds()),
};
function Yi(e, t) {
  t = t || wd;
  let n = [],
    o = /\{([a-z]+)\}|[^{]+/gi,
    r;
  for (; (r = o.exec(e)); ) n.push(r[0][0] == '{' ? Sd[r[1]] : r[0]);
  return (l) => {
    let s = '';
    for (let u = 0; u < n.length; u++) s += typeof n[u] == 'string' ? n[u] : n[u](l, t);
    return s;
  };
}
var xd = new Intl.DateTimeFormat().resolvedOptions().timeZone;
function kd(e, t) {
  let n;
  return (
    t == 'UTC' || t == 'Etc/UTC'
      ? (n = new Date(+e + e.getTimezoneOffset() * 6e4))
      : t == xd
        ? (n = e)
        : ((n = new Date(e.toLocaleString('en-US', { timeZone: t }))),
          n.setMilliseconds(e.getMilliseconds())),
    n
  );
}
var ic = (e) => e % 1 == 0,
  ul = [1, 2, 2.5, 5],
  Td = hr(10, -32, 0, ul),
  sc = hr(10, 0, 32, ul),
  Ed = sc.filter(ic),
  Gn = Td.concat(sc),
  Ji = `
`,
  ac = '{YYYY}',
  Eu = Ji + ac,
  uc = '{M}/{D}',
  fr = Ji + uc,
  rl = fr + '/{YY}',
  cc = '{aa}',
  Pd = '{h}:{mm}',
  Po = Pd + cc,
  Pu = Ji + Po,
  Cu = ':{ss}',
  ce = null;
function fc(e) {
  const t = e * 1e3,
    n = t * 60,
    o = n * 60,
    r = o * 24,
    l = r * 30,
    s = r * 365,
    d = (e == 1 ? hr(10, 0, 3, ul).filter(ic) : hr(10, -3, 0, ul)).concat([
      t,
      t * 5,
      t * 10,
      t * 15,
      t * 30,
      n,
      n * 5,
      n * 10,
      n * 15,
      n * 30,
      o,
      o * 2,
      o * 3,
      o * 4,
      o * 6,
      o * 8,
      o * 12,
      r,
      r * 2,
      r * 3,
      r * 4,
      r * 5,
      r * 6,
      r * 7,
      r * 8,
      r * 9,
      r * 10,
      r * 15,
      l,
      l * 2,
      l * 3,
      l * 4,
      l * 6,
      s,
      s * 2,
      s * 5,
      s * 10,
      s * 25,
      s * 50,
      s * 100,
    ]),
    h = [
      [s, ac, ce, ce, ce, ce, ce, ce, 1],
      [r * 28, '{MMM}', Eu, ce, ce, ce, ce, ce, 1],
      [r, uc, Eu, ce, ce, ce, ce, ce, 1],
      [o, '{h}' + cc, rl, ce, fr, ce, ce, ce, 1],
      [n, Po, rl, ce, fr, ce, ce, ce, 1],
      [t, Cu, rl + ' ' + Po, ce, fr + ' ' + Po, ce, Pu, ce, 1],
      [e, Cu + '.{fff}', rl + ' ' + Po, ce, fr + ' ' + Po, ce, Pu, ce, 1],
    ];
  function _(g) {
    return (w, v, x, k, T, A) => {
      const b = [],
        R = T >= s,
        E = T >= l && T < s,
        K = g(x),
        N = he(K * e, 3),
        Y = Mi(K.getFullYear(), R ? 0 : K.getMonth(), E || R ? 1 : K.getDate()),
        V = he(Y * e, 3);
      if (E || R) {
        let Z = E ? T / l : 0,
          B = R ? T / s : 0,
          M = N == V ? N : he(Mi(Y.getFullYear() + B, Y.getMonth() + Z, 1) * e, 3),
          z = new Date(Ie(M / e)),
          L = z.getFullYear(),
          q = z.getMonth();
        for (let U = 0; M <= k; U++) {
          const ne = Mi(L + B * U, q + Z * U, 1),
            W = ne - g(he(ne * e, 3));
          (M = he((+ne + W) * e, 3)), M <= k && b.push(M);
        }
      } else {
        let Z = T >= r ? r : T,
          B = yt(x) - yt(N),
          M = V + B + pl(N - V, Z);
        b.push(M);
        let z = g(M),
          L = z.getHours() + z.getMinutes() / n + z.getSeconds() / o,
          q = T / o,
          U = w.axes[v]._space,
          ne = A / U;
        for (; (M = he(M + T, e == 1 ? 0 : 3)), !(M > k); )
          if (q > 1) {
            let W = yt(he(L + q, 6)) % 24,
              re = g(M).getHours() - W;
            re > 1 && (re = -1), (M -= re * o), (L = (L + q) % 24);
            const fe = b[b.length - 1];
            he((M - fe) / T, 3) * ne >= 0.7 && b.push(M);
          } else b.push(M);
      }
      return b;
    };
  }
  return [d, h, _];
}
var [Cd, Md, Ad] = fc(1),
  [Rd, Od, Ld] = fc(0.001);
hr(2, -53, 53, [1]);
function Mu(e, t) {
  return e.map((n) =>
    n.map((o, r) => (r == 0 || r == 8 || o == null ? o : t(r == 1 || n[8] == 0 ? o : n[1] + o))),
  );
}
function Au(e, t) {
  return (n, o, r, l, s) => {
    let u = t.find((x) => s >= x[0]) || t[t.length - 1],
      d,
      h,
      _,
      g,
      w,
      v;
    return o.map((x) => {
      const k = e(x),
        T = k.getFullYear(),
        A = k.getMonth(),
        b = k.getDate(),
        R = k.getHours(),
        E = k.getMinutes(),
        K = k.getSeconds(),
        N =
          (T != d && u[2]) ||
          (A != h && u[3]) ||
          (b != _ && u[4]) ||
          (R != g && u[5]) ||
          (E != w && u[6]) ||
          (K != v && u[7]) ||
          u[1];
      return ((d = T), (h = A), (_ = b), (g = R), (w = E), (v = K), N(k));
    });
  };
}
function Dd(e, t) {
  const n = Yi(t);
  return (o, r, l, s, u) => r.map((d) => n(e(d)));
}
function Mi(e, t, n) {
  return new Date(e, t, n);
}
function Ru(e, t) {
  return t(e);
}
var Fd = '{YYYY}-{MM}-{DD} {h}:{mm}{aa}';
function Ou(e, t) {
  return (n, o, r, l) => (l == null ? Vi : t(e(o)));
}
function Nd(e, t) {
  const n = e.series[t];
  return n.width ? n.stroke(e, t) : n.points.width ? n.points.stroke(e, t) : null;
}
function $d(e, t) {
  return e.series[t].fill(e, t);
}
var Id = {
  show: !0,
  live: !0,
  isolate: !1,
  mount: od,
  markers: { show: !0, width: 2, stroke: Nd, fill: $d, dash: 'solid' },
  idx: null,
  idxs: null,
  values: [],
};
function Hd(e, t) {
  const n = e.cursor.points,
    o = Mt(),
    r = n.size(e, t);
  we(o, ur, r), we(o, cr, r);
  const l = r / -2;
  we(o, 'marginLeft', l), we(o, 'marginTop', l);
  const s = n.width(e, t, r);
  return (s && we(o, 'borderWidth', s), o);
}
function Wd(e, t) {
  const n = e.series[t].points;
  return n._fill || n._stroke;
}
function Ud(e, t) {
  const n = e.series[t].points;
  return n._stroke || n._fill;
}
function Bd(e, t) {
  return e.series[t].points.size;
}
var Ai = [0, 0];
function Vd(e, t, n) {
  return ((Ai[0] = t), (Ai[1] = n), Ai);
}
function ll(e, t, n, o = !0) {
  return (r) => {
    r.button == 0 && (!o || r.target == t) && n(r);
  };
}
function Ri(e, t, n, o = !0) {
  return (r) => {
    (!o || r.target == t) && n(r);
  };
}
var zd = {
    show: !0,
    x: !0,
    y: !0,
    lock: !1,
    move: Vd,
    points: { one: !1, show: Hd, size: Bd, width: 0, stroke: Ud, fill: Wd },
    bind: {
      mousedown: ll,
      mouseup: ll,
      click: ll,
      dblclick: ll,
      mousemove: Ri,
      mouseleave: Ri,
      mouseenter: Ri,
    },
    drag: {
      setScale: !0,
      x: !0,
      y: !1,
      dist: 0,
      uni: null,
      click: (e, t) => {
        t.stopPropagation(), t.stopImmediatePropagation();
      },
      _x: !1,
      _y: !1,
    },
    focus: { dist: (e, t, n, o, r) => o - r, prox: -1, bias: 0 },
    hover: { skip: [void 0], prox: null, bias: 0 },
    left: -10,
    top: -10,
    idx: null,
    dataIdx: null,
    idxs: null,
    event: null,
  },
  pc = { show: !0, stroke: 'rgba(0,0,0,0.07)', width: 2 },
  Zi = Le({}, pc, { filter: Qu }),
  dc = Le({}, Zi, { size: 10 }),
  hc = Le({}, pc, { show: !1 }),
  Qi =
    '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',
  mc = 'bold ' + Qi,
  _c = 1.5,
  Lu = {
    show: !0,
    scale: 'x',
    stroke: Bi,
    space: 50,
    gap: 5,
    alignTo: 1,
    size: 50,
    labelGap: 0,
    labelSize: 30,
    labelFont: mc,
    side: 2,
    grid: Zi,
    ticks: dc,
    border: hc,
    font: Qi,
    lineGap: _c,
    rotate: 0,
  },
  Gd = 'Value',
  qd = 'Time',
  Du = { show: !0, scale: 'x', auto: !1, sorted: 1, min: de, max: -de, idxs: [] };
function jd(e, t, n, o, r) {
  return t.map((l) => (l == null ? '' : ji(l)));
}
function Kd(e, t, n, o, r, l, s) {
  const u = [],
    d = wn.get(r) || 0;
  n = s ? n : he(pl(n, r), d);
  for (let h = n; h <= o; h = he(h + r, d)) u.push(Object.is(h, -0) ? 0 : h);
  return u;
}
function $i(e, t, n, o, r, l, s) {
  const u = [],
    d = e.scales[e.axes[t].scale].log,
    h = d == 10 ? on : Yu,
    _ = yt(h(n));
  (r = Mo(d, _)), d == 10 && (r = Gn[Wt(r, Gn)]);
  let g = n,
    w = r * d;
  d == 10 && (w = Gn[Wt(w, Gn)]);
  do
    u.push(g),
      (g = g + r),
      d == 10 && !wn.has(g) && (g = he(g, wn.get(r))),
      g >= w && ((r = g), (w = r * d), d == 10 && (w = Gn[Wt(w, Gn)]));
  while (g <= o);
  return u;
}
function Yd(e, t, n, o, r, l, s) {
  const d = e.scales[e.axes[t].scale].asinh,
    h = o > d ? $i(e, t, lt(d, n), o, r) : [d],
    _ = o >= 0 && n <= 0 ? [0] : [];
  return (n < -d ? $i(e, t, lt(d, -o), -n, r) : [d])
    .reverse()
    .map((w) => -w)
    .concat(_, h);
}
var vc = /./,
  Jd = /[12357]/,
  Zd = /[125]/,
  Fu = /1/,
  Ii = (e, t, n, o) =>
    e.map((r, l) =>
      (t == 4 && r == 0) || (l % o == 0 && n.test(r.toExponential()[r < 0 ? 1 : 0])) ? r : null,
    );
function Qd(e, t, n, o, r) {
  const l = e.axes[n],
    s = l.scale,
    u = e.scales[s],
    d = e.valToPos,
    h = l._space,
    _ = d(10, s),
    g = d(9, s) - _ >= h ? vc : d(7, s) - _ >= h ? Jd : d(5, s) - _ >= h ? Zd : Fu;
  if (g == Fu) {
    const w = He(d(1, s) - _);
    if (w < h) return Ii(t.slice().reverse(), u.distr, g, At(h / w)).reverse();
  }
  return Ii(t, u.distr, g, 1);
}
function Xd(e, t, n, o, r) {
  const l = e.axes[n],
    s = l.scale,
    u = l._space,
    d = e.valToPos,
    h = He(d(1, s) - d(2, s));
  return h < u ? Ii(t.slice().reverse(), 3, vc, At(u / h)).reverse() : t;
}
function eh(e, t, n, o) {
  return o == null ? Vi : t == null ? '' : ji(t);
}
var Nu = {
  show: !0,
  scale: 'y',
  stroke: Bi,
  space: 30,
  gap: 5,
  alignTo: 1,
  size: 50,
  labelGap: 0,
  labelSize: 30,
  labelFont: mc,
  side: 3,
  grid: Zi,
  ticks: dc,
  border: hc,
  font: Qi,
  lineGap: _c,
  rotate: 0,
};
function th(e, t) {
  const n = 3 + (e || 1) * 2;
  return he(n * t, 3);
}
function nh(e, t) {
  const { scale: n, idxs: o } = e.series[0],
    r = e._data[0],
    l = e.valToPos(r[o[0]], n, !0),
    s = e.valToPos(r[o[1]], n, !0),
    u = He(s - l),
    d = e.series[t],
    h = u / (d.points.space * ae);
  return o[1] - o[0] <= h;
}
var $u = { scale: null, auto: !0, sorted: 0, min: de, max: -de },
  gc = (e, t, n, o, r) => r,
  Iu = {
    show: !0,
    auto: !0,
    sorted: 0,
    gaps: gc,
    alpha: 1,
    facets: [Le({}, $u, { scale: 'x' }), Le({}, $u, { scale: 'y' })],
  },
  Hu = {
    scale: 'y',
    auto: !0,
    sorted: 0,
    show: !0,
    spanGaps: !1,
    gaps: gc,
    alpha: 1,
    points: { show: nh, filter: null },
    values: null,
    min: de,
    max: -de,
    idxs: [],
    path: null,
    clip: null,
  };
function oh(e, t, n, o, r) {
  return n / 10;
}
var yc = { time: !0, auto: !0, distr: 1, log: 10, asinh: 1, min: null, max: null, dir: 1, ori: 0 },
  rh = Le({}, yc, { time: !1, ori: 1 }),
  Wu = {};
function wc(e, t) {
  let n = Wu[e];
  return (
    n ||
      ((n = {
        key: e,
        plots: [],
        sub(o) {
          n.plots.push(o);
        },
        unsub(o) {
          n.plots = n.plots.filter((r) => r != o);
        },
        pub(o, r, l, s, u, d, h) {
          for (let _ = 0; _ < n.plots.length; _++) n.plots[_] != r && n.plots[_].pub(o, r, l, s, u, d, h);
        },
      }),
      e != null && (Wu[e] = n)),
    n
  );
}
var Oo = 1,
  Hi = 2;
function Yn(e, t, n) {
  const o = e.mode,
    r = e.series[t],
    l = o == 2 ? e._data[t] : e._data,
    s = e.scales,
    u = e.bbox,
    d = l[0],
    h = o == 2 ? l[1] : l[t],
    _ = o == 2 ? s[r.facets[0].scale] : s[e.series[0].scale],
    g = o == 2 ? s[r.facets[1].scale] : s[r.scale],
    w = u.left,
    v = u.top,
    x = u.width,
    k = u.height,
    T = e.valToPosH,
    A = e.valToPosV;
  return _.ori == 0
    ? n(r, d, h, _, g, T, A, w, v, x, k, ml, Do, vl, Sc, kc)
    : n(r, d, h, _, g, A, T, v, w, k, x, _l, Fo, ts, xc, Tc);
}
function Xi(e, t) {
  let n = 0,
    o = 0,
    r = ie(e.bands, Ki);
  for (let l = 0; l < r.length; l++) {
    const s = r[l];
    s.series[0] == t ? (n = s.dir) : s.series[1] == t && (s.dir == 1 ? (o |= 1) : (o |= 2));
  }
  return [n, o == 1 ? -1 : o == 2 ? 1 : o == 3 ? 2 : 0];
}
function lh(e, t, n, o, r) {
  const l = e.mode,
    s = e.series[t],
    u = l == 2 ? s.facets[1].scale : s.scale,
    d = e.scales[u];
  return r == -1 ? d.min : r == 1 ? d.max : d.distr == 3 ? (d.dir == 1 ? d.min : d.max) : 0;
}
function rn(e, t, n, o, r, l) {
  return Yn(e, t, (s, u, d, h, _, g, w, v, x, k, T) => {
    let A = s.pxRound,
      b = h.dir * (h.ori == 0 ? 1 : -1),
      R = h.ori == 0 ? Do : Fo,
      E,
      K;
    b == 1 ? ((E = n), (K = o)) : ((E = o), (K = n));
    const N = A(g(u[E], h, k, v)),
      Y = A(w(d[E], _, T, x)),
      V = A(g(u[K], h, k, v)),
      Z = A(w(l == 1 ? _.max : _.min, _, T, x)),
      B = new Path2D(r);
    return (R(B, V, Z), R(B, N, Z), R(B, N, Y), B);
  });
}
function hl(e, t, n, o, r, l) {
  let s = null;
  if (e.length > 0) {
    s = new Path2D();
    let u = t == 0 ? vl : ts,
      d = n;
    for (let g = 0; g < e.length; g++) {
      const w = e[g];
      if (w[1] > w[0]) {
        const v = w[0] - d;
        v > 0 && u(s, d, o, v, o + l), (d = w[1]);
      }
    }
    const h = n + r - d,
      _ = 10;
    h > 0 && u(s, d, o - _ / 2, h, o + l + _);
  }
  return s;
}
function ih(e, t, n) {
  const o = e[e.length - 1];
  o && o[0] == t ? (o[1] = n) : e.push([t, n]);
}
function es(e, t, n, o, r, l, s) {
  const u = [],
    d = e.length;
  for (let h = r == 1 ? n : o; h >= n && h <= o; h += r)
    if (t[h] === null) {
      let g = h,
        w = h;
      if (r == 1) for (; ++h <= o && t[h] === null; ) w = h;
      else for (; --h >= n && t[h] === null; ) w = h;
      let v = l(e[g]),
        x = w == g ? v : l(e[w]),
        k = g - r;
      v = s <= 0 && k >= 0 && k < d ? l(e[k]) : v;
      const A = w + r;
      (x = s >= 0 && A >= 0 && A < d ? l(e[A]) : x), x >= v && u.push([v, x]);
    }
  return u;
}
function Uu(e) {
  return e == 0 ? Zu : e == 1 ? Ie : (t) => zn(t, e);
}
function bc(e) {
  const t = e == 0 ? ml : _l,
    n =
      e == 0
        ? (r, l, s, u, d, h) => {
            r.arcTo(l, s, u, d, h);
          }
        : (r, l, s, u, d, h) => {
            r.arcTo(s, l, d, u, h);
          },
    o =
      e == 0
        ? (r, l, s, u, d) => {
            r.rect(l, s, u, d);
          }
        : (r, l, s, u, d) => {
            r.rect(s, l, d, u);
          };
  return (r, l, s, u, d, h = 0, _ = 0) => {
    h == 0 && _ == 0
      ? o(r, l, s, u, d)
      : ((h = Ut(h, u / 2, d / 2)),
        (_ = Ut(_, u / 2, d / 2)),
        t(r, l + h, s),
        n(r, l + u, s, l + u, s + d, h),
        n(r, l + u, s + d, l, s + d, _),
        n(r, l, s + d, l, s, _),
        n(r, l, s, l + u, s, h),
        r.closePath());
  };
}
var ml = (e, t, n) => {
    e.moveTo(t, n);
  },
  _l = (e, t, n) => {
    e.moveTo(n, t);
  },
  Do = (e, t, n) => {
    e.lineTo(t, n);
  },
  Fo = (e, t, n) => {
    e.lineTo(n, t);
  },
  vl = bc(0),
  ts = bc(1),
  Sc = (e, t, n, o, r, l) => {
    e.arc(t, n, o, r, l);
  },
  xc = (e, t, n, o, r, l) => {
    e.arc(n, t, o, r, l);
  },
  kc = (e, t, n, o, r, l, s) => {
    e.bezierCurveTo(t, n, o, r, l, s);
  },
  Tc = (e, t, n, o, r, l, s) => {
    e.bezierCurveTo(n, t, r, o, s, l);
  };
function Ec(e) {
  return (t, n, o, r, l) =>
    Yn(t, n, (s, u, d, h, _, g, w, v, x, k, T) => {
      let { pxRound: A, points: b } = s,
        R,
        E;
      h.ori == 0 ? ((R = ml), (E = Sc)) : ((R = _l), (E = xc));
      const K = he(b.width * ae, 3),
        N = ((b.size - b.width) / 2) * ae,
        Y = he(N * 2, 3),
        V = new Path2D(),
        Z = new Path2D(),
        { left: B, top: M, width: z, height: L } = t.bbox;
      vl(Z, B - Y, M - Y, z + Y * 2, L + Y * 2);
      const q = (U) => {
        if (d[U] != null) {
          const ne = A(g(u[U], h, k, v)),
            W = A(w(d[U], _, T, x));
          R(V, ne + N, W), E(V, ne, W, N, 0, il * 2);
        }
      };
      if (l) l.forEach(q);
      else for (let U = o; U <= r; U++) q(U);
      return { stroke: K > 0 ? V : null, fill: V, clip: Z, flags: Oo | Hi };
    });
}
function Pc(e) {
  return (t, n, o, r, l, s) => {
    o != r && (l != o && s != o && e(t, n, o), l != r && s != r && e(t, n, r), e(t, n, s));
  };
}
var sh = Pc(Do),
  ah = Pc(Fo);
function Cc(e) {
  const t = ie(e?.alignGaps, 0);
  return (n, o, r, l) =>
    Yn(n, o, (s, u, d, h, _, g, w, v, x, k, T) => {
      [r, l] = cl(d, r, l);
      let A = s.pxRound,
        b = (L) => A(g(L, h, k, v)),
        R = (L) => A(w(L, _, T, x)),
        E,
        K;
      h.ori == 0 ? ((E = Do), (K = sh)) : ((E = Fo), (K = ah));
      let N = h.dir * (h.ori == 0 ? 1 : -1),
        Y = { stroke: new Path2D(), fill: null, clip: null, band: null, gaps: null, flags: Oo },
        V = Y.stroke,
        Z = !1;
      if (l - r >= k * 4) {
        let L = (I) => n.posToVal(I, h.key, !0),
          q = null,
          U = null,
          ne,
          W,
          it,
          be = b(u[N == 1 ? r : l]),
          re = b(u[r]),
          fe = b(u[l]),
          Q = L(N == 1 ? re + 1 : fe - 1);
        for (let I = N == 1 ? r : l; I >= r && I <= l; I += N) {
          const De = u[I],
            Se = (N == 1 ? De < Q : De > Q) ? be : b(De),
            ue = d[I];
          Se == be
            ? ue != null
              ? ((W = ue),
                q == null ? (E(V, Se, R(W)), (ne = q = U = W)) : W < q ? (q = W) : W > U && (U = W))
              : ue === null && (Z = !0)
            : (q != null && K(V, be, R(q), R(U), R(ne), R(W)),
              ue != null
                ? ((W = ue), E(V, Se, R(W)), (q = U = ne = W))
                : ((q = U = null), ue === null && (Z = !0)),
              (be = Se),
              (Q = L(be + N)));
        }
        q != null && q != U && it != be && K(V, be, R(q), R(U), R(ne), R(W));
      } else
        for (let L = N == 1 ? r : l; L >= r && L <= l; L += N) {
          const q = d[L];
          q === null ? (Z = !0) : q != null && E(V, b(u[L]), R(q));
        }
      const [M, z] = Xi(n, o);
      if (s.fill != null || M != 0) {
        let L = (Y.fill = new Path2D(V)),
          q = s.fillTo(n, o, s.min, s.max, M),
          U = R(q),
          ne = b(u[r]),
          W = b(u[l]);
        N == -1 && ([W, ne] = [ne, W]), E(L, W, U), E(L, ne, U);
      }
      if (!s.spanGaps) {
        let L = [];
        Z && L.push(...es(u, d, r, l, N, b, t)),
          (Y.gaps = L = s.gaps(n, o, r, l, L)),
          (Y.clip = hl(L, h.ori, v, x, k, T));
      }
      return (
        z != 0 && (Y.band = z == 2 ? [rn(n, o, r, l, V, -1), rn(n, o, r, l, V, 1)] : rn(n, o, r, l, V, z)), Y
      );
    });
}
function uh(e) {
  const t = ie(e.align, 1),
    n = ie(e.ascDesc, !1),
    o = ie(e.alignGaps, 0),
    r = ie(e.extend, !1);
  return (l, s, u, d) =>
    Yn(l, s, (h, _, g, w, v, x, k, T, A, b, R) => {
      [u, d] = cl(g, u, d);
      let E = h.pxRound,
        { left: K, width: N } = l.bbox,
        Y = (re) => E(x(re, w, b, T)),
        V = (re) => E(k(re, v, R, A)),
        Z = w.ori == 0 ? Do : Fo,
        B = { stroke: new Path2D(), fill: null, clip: null, band: null, gaps: null, flags: Oo },
        M = B.stroke,
        z = w.dir * (w.ori == 0 ? 1 : -1),
        L = V(g[z == 1 ? u : d]),
        q = Y(_[z == 1 ? u : d]),
        U = q,
        ne = q;
      r && t == -1 && ((ne = K), Z(M, ne, L)), Z(M, q, L);
      for (let re = z == 1 ? u : d; re >= u && re <= d; re += z) {
        const fe = g[re];
        if (fe == null) continue;
        const Q = Y(_[re]),
          I = V(fe);
        t == 1 ? Z(M, Q, L) : Z(M, U, I), Z(M, Q, I), (L = I), (U = Q);
      }
      let W = U;
      r && t == 1 && ((W = K + N), Z(M, W, L));
      const [it, be] = Xi(l, s);
      if (h.fill != null || it != 0) {
        const re = (B.fill = new Path2D(M)),
          fe = h.fillTo(l, s, h.min, h.max, it),
          Q = V(fe);
        Z(re, W, Q), Z(re, ne, Q);
      }
      if (!h.spanGaps) {
        let re = [];
        re.push(...es(_, g, u, d, z, Y, o));
        const fe = (h.width * ae) / 2,
          Q = n || t == 1 ? fe : -fe,
          I = n || t == -1 ? -fe : fe;
        re.forEach((De) => {
          (De[0] += Q), (De[1] += I);
        }),
          (B.gaps = re = h.gaps(l, s, u, d, re)),
          (B.clip = hl(re, w.ori, T, A, b, R));
      }
      return (
        be != 0 && (B.band = be == 2 ? [rn(l, s, u, d, M, -1), rn(l, s, u, d, M, 1)] : rn(l, s, u, d, M, be)),
        B
      );
    });
}
function Bu(e, t, n, o, r, l, s = de) {
  if (e.length > 1) {
    let u = null;
    for (let d = 0, h = 1 / 0; d < e.length; d++)
      if (t[d] !== void 0) {
        if (u != null) {
          const _ = He(e[d] - e[u]);
          _ < h && ((h = _), (s = He(n(e[d], o, r, l) - n(e[u], o, r, l))));
        }
        u = d;
      }
  }
  return s;
}
function ch(e) {
  e = e || dr;
  let t = ie(e.size, [0.6, de, 1]),
    n = e.align || 0,
    o = e.gap || 0,
    r = e.radius;
  r = r == null ? [0, 0] : typeof r == 'number' ? [r, 0] : r;
  const l = te(r),
    s = 1 - t[0],
    u = ie(t[1], de),
    d = ie(t[2], 1),
    h = ie(e.disp, dr),
    _ = ie(e.each, (v) => {}),
    { fill: g, stroke: w } = h;
  return (v, x, k, T) =>
    Yn(v, x, (A, b, R, E, K, N, Y, V, Z, B, M) => {
      let z = A.pxRound,
        L = n,
        q = o * ae,
        U = u * ae,
        ne = d * ae,
        W,
        it;
      E.ori == 0 ? ([W, it] = l(v, x)) : ([it, W] = l(v, x));
      let be = E.dir * (E.ori == 0 ? 1 : -1),
        re = E.ori == 0 ? vl : ts,
        fe =
          E.ori == 0
            ? _
            : (F, me, Fe, to, xn, Vt, kn) => {
                _(F, me, Fe, xn, to, kn, Vt);
              },
        Q = ie(v.bands, Ki).find((F) => F.series[0] == x),
        I = Q != null ? Q.dir : 0,
        De = A.fillTo(v, x, A.min, A.max, I),
        Xe = z(Y(De, K, M, Z)),
        Se,
        ue,
        Rt,
        ct = B,
        Te = z(A.width * ae),
        Bt = !1,
        Zt = null,
        bt = null,
        sn = null,
        Qn = null;
      g != null &&
        (Te == 0 || w != null) &&
        ((Bt = !0),
        (Zt = g.values(v, x, k, T)),
        (bt = new Map()),
        new Set(Zt).forEach((F) => {
          F != null && bt.set(F, new Path2D());
        }),
        Te > 0 &&
          ((sn = w.values(v, x, k, T)),
          (Qn = new Map()),
          new Set(sn).forEach((F) => {
            F != null && Qn.set(F, new Path2D());
          })));
      const { x0: Xn, size: $o } = h;
      if (Xn != null && $o != null) {
        (L = 1),
          (b = Xn.values(v, x, k, T)),
          Xn.unit == 2 && (b = b.map((Fe) => v.posToVal(V + Fe * B, E.key, !0)));
        const F = $o.values(v, x, k, T);
        $o.unit == 2 ? (ue = F[0] * B) : (ue = N(F[0], E, B, V) - N(0, E, B, V)),
          (ct = Bu(b, R, N, E, B, V, ct)),
          (Rt = ct - ue + q);
      } else (ct = Bu(b, R, N, E, B, V, ct)), (Rt = ct * s + q), (ue = ct - Rt);
      Rt < 1 && (Rt = 0), Te >= ue / 2 && (Te = 0), Rt < 5 && (z = Zu);
      const _r = Rt > 0,
        bn = ct - Rt - (_r ? Te : 0);
      (ue = z(Ni(bn, ne, U))),
        (Se = (L == 0 ? ue / 2 : L == be ? 0 : ue) - L * be * ((L == 0 ? q / 2 : 0) + (_r ? Te / 2 : 0)));
      let et = { stroke: null, fill: null, clip: null, band: null, gaps: null, flags: 0 },
        eo = Bt ? null : new Path2D(),
        Qt = null;
      if (Q != null) Qt = v.data[Q.series[1]];
      else {
        const { y0: F, y1: me } = h;
        F != null && me != null && ((R = me.values(v, x, k, T)), (Qt = F.values(v, x, k, T)));
      }
      const Sn = W * ue,
        J = it * ue;
      for (let F = be == 1 ? k : T; F >= k && F <= T; F += be) {
        const me = R[F];
        if (me == null) continue;
        if (Qt != null) {
          const st = Qt[F] ?? 0;
          if (me - st == 0) continue;
          Xe = Y(st, K, M, Z);
        }
        const Fe = E.distr != 2 || h != null ? b[F] : F,
          to = N(Fe, E, B, V),
          xn = Y(ie(me, De), K, M, Z),
          Vt = z(to - Se),
          kn = z(lt(xn, Xe)),
          ft = z(Ut(xn, Xe)),
          St = kn - ft;
        if (me != null) {
          const st = me < 0 ? J : Sn,
            Ot = me < 0 ? Sn : J;
          Bt
            ? (Te > 0 && sn[F] != null && re(Qn.get(sn[F]), Vt, ft + yt(Te / 2), ue, lt(0, St - Te), st, Ot),
              Zt[F] != null && re(bt.get(Zt[F]), Vt, ft + yt(Te / 2), ue, lt(0, St - Te), st, Ot))
            : re(eo, Vt, ft + yt(Te / 2), ue, lt(0, St - Te), st, Ot),
            fe(v, x, F, Vt - Te / 2, ft, ue + Te, St);
        }
      }
      return (
        Te > 0
          ? (et.stroke = Bt ? Qn : eo)
          : Bt || ((et._fill = A.width == 0 ? A._fill : (A._stroke ?? A._fill)), (et.width = 0)),
        (et.fill = Bt ? bt : eo),
        et
      );
    });
}
function fh(e, t) {
  const n = ie(t?.alignGaps, 0);
  return (o, r, l, s) =>
    Yn(o, r, (u, d, h, _, g, w, v, x, k, T, A) => {
      [l, s] = cl(h, l, s);
      let b = u.pxRound,
        R = (W) => b(w(W, _, T, x)),
        E = (W) => b(v(W, g, A, k)),
        K,
        N,
        Y;
      _.ori == 0 ? ((K = ml), (Y = Do), (N = kc)) : ((K = _l), (Y = Fo), (N = Tc));
      let V = _.dir * (_.ori == 0 ? 1 : -1),
        Z = R(d[V == 1 ? l : s]),
        B = Z,
        M = [],
        z = [];
      for (let W = V == 1 ? l : s; W >= l && W <= s; W += V)
        if (h[W] != null) {
          const be = d[W],
            re = R(be);
          M.push((B = re)), z.push(E(h[W]));
        }
      const L = { stroke: e(M, z, K, Y, N, b), fill: null, clip: null, band: null, gaps: null, flags: Oo },
        q = L.stroke,
        [U, ne] = Xi(o, r);
      if (u.fill != null || U != 0) {
        const W = (L.fill = new Path2D(q)),
          it = u.fillTo(o, r, u.min, u.max, U),
          be = E(it);
        Y(W, B, be), Y(W, Z, be);
      }
      if (!u.spanGaps) {
        let W = [];
        W.push(...es(d, h, l, s, V, R, n)),
          (L.gaps = W = u.gaps(o, r, l, s, W)),
          (L.clip = hl(W, _.ori, x, k, T, A));
      }
      return (
        ne != 0 && (L.band = ne == 2 ? [rn(o, r, l, s, q, -1), rn(o, r, l, s, q, 1)] : rn(o, r, l, s, q, ne)),
        L
      );
    });
}
function ph(e) {
  return fh(dh, e);
}
function dh(e, t, n, o, r, l) {
  const s = e.length;
  if (s < 2) return null;
  const u = new Path2D();
  if ((n(u, e[0], t[0]), s == 2)) o(u, e[1], t[1]);
  else {
    const d = Array(s),
      h = Array(s - 1),
      _ = Array(s - 1),
      g = Array(s - 1);
    for (let w = 0; w < s - 1; w++) (_[w] = t[w + 1] - t[w]), (g[w] = e[w + 1] - e[w]), (h[w] = _[w] / g[w]);
    d[0] = h[0];
    for (let w = 1; w < s - 1; w++)
      h[w] === 0 || h[w - 1] === 0 || h[w - 1] > 0 != h[w] > 0
        ? (d[w] = 0)
        : ((d[w] =
            (3 * (g[w - 1] + g[w])) / ((2 * g[w] + g[w - 1]) / h[w - 1] + (g[w] + 2 * g[w - 1]) / h[w])),
          isFinite(d[w]) || (d[w] = 0));
    d[s - 1] = h[s - 2];
    for (let w = 0; w < s - 1; w++)
      r(
        u,
        e[w] + g[w] / 3,
        t[w] + (d[w] * g[w]) / 3,
        e[w + 1] - g[w] / 3,
        t[w + 1] - (d[w + 1] * g[w]) / 3,
        e[w + 1],
        t[w + 1],
      );
  }
  return u;
}
var Wi = new Set();
function Vu() {
  for (const e of Wi) e.syncRect(!0);
}
Lo &&
  (jn(jp, Co, Vu),
  jn(Kp, Co, Vu, !0),
  jn(sl, Co, () => {
    qe.pxRatio = ae;
  }));
var hh = Cc(),
  mh = Ec();
function zu(e, t, n, o) {
  return (o ? [e[0], e[1]].concat(e.slice(2)) : [e[0]].concat(e.slice(1))).map((l, s) => Ui(l, s, t, n));
}
function _h(e, t) {
  return e.map((n, o) => (o == 0 ? {} : Le({}, t, n)));
}
function Ui(e, t, n, o) {
  return Le({}, t == 0 ? n : o, e);
}
function Mc(e, t, n) {
  return t == null ? Ao : [t, n];
}
var vh = Mc;
function gh(e, t, n) {
  return t == null ? Ao : al(t, n, qi, !0);
}
function Ac(e, t, n, o) {
  return t == null ? Ao : fl(t, n, e.scales[o].log, !1);
}
var yh = Ac;
function Rc(e, t, n, o) {
  return t == null ? Ao : Gi(t, n, e.scales[o].log, !1);
}
var wh = Rc;
function bh(e, t, n, o, r) {
  let l = lt(Su(e), Su(t)),
    s = t - e,
    u = Wt((r / o) * s, n);
  do {
    const d = n[u],
      h = (o * d) / s;
    if (h >= r && l + (d < 5 ? wn.get(d) : 0) <= 17) return [d, h];
  } while (++u < n.length);
  return [0, 0];
}
function Gu(e) {
  let t, n;
  return ((e = e.replace(/(\d+)px/, (o, r) => (t = Ie((n = +r) * ae)) + 'px')), [e, t, n]);
}
function Sh(e) {
  e.show &&
    [e.font, e.labelFont].forEach((t) => {
      const n = he(t[2] * ae, 1);
      (t[0] = t[0].replace(/[0-9.]+px/, n + 'px')), (t[1] = n);
    });
}
function qe(e, t, n) {
  const o = { mode: ie(e.mode, 1) },
    r = o.mode;
  function l(i, a, c, p) {
    const m = a.valToPct(i);
    return p + c * (a.dir == -1 ? 1 - m : m);
  }
  function s(i, a, c, p) {
    const m = a.valToPct(i);
    return p + c * (a.dir == -1 ? m : 1 - m);
  }
  function u(i, a, c, p) {
    return a.ori == 0 ? l(i, a, c, p) : s(i, a, c, p);
  }
  (o.valToPosH = l), (o.valToPosV = s);
  let d = !1;
  o.status = 0;
  const h = (o.root = Mt(Mp));
  if ((e.id != null && (h.id = e.id), gt(h, e.class), e.title)) {
    const i = Mt(Op, h);
    i.textContent = e.title;
  }
  const _ = Ht('canvas'),
    g = (o.ctx = _.getContext('2d')),
    w = Mt(Lp, h);
  jn(
    'click',
    w,
    (i) => {
      i.target === x && (_e != po || xe != ho) && Ke.click(o, i);
    },
    !0,
  );
  const v = (o.under = Mt(Dp, w));
  w.appendChild(_);
  const x = (o.over = Mt(Fp, w));
  e = Ro(e);
  const k = +ie(e.pxAlign, 1),
    T = Uu(k);
  (e.plugins || []).forEach((i) => {
    i.opts && (e = i.opts(o, e) || e);
  });
  const A = e.ms || 0.001,
    b = (o.series = r == 1 ? zu(e.series || [], Du, Hu, !1) : _h(e.series || [null], Iu)),
    R = (o.axes = zu(e.axes || [], Lu, Nu, !0)),
    E = (o.scales = {}),
    K = (o.bands = e.bands || []);
  K.forEach((i) => {
    (i.fill = te(i.fill || null)), (i.dir = ie(i.dir, -1));
  });
  const N = r == 2 ? b[1].facets[0].scale : b[0].scale,
    Y = { axes: Lf, series: Cf },
    V = (e.drawOrder || ['axes', 'series']).map((i) => Y[i]);
  function Z(i) {
    const a =
      i.distr == 3
        ? (c) => on(c > 0 ? c : i.clamp(o, c, i.min, i.max, i.key))
        : i.distr == 4
          ? (c) => Ci(c, i.asinh)
          : i.distr == 100
            ? (c) => i.fwd(c)
            : (c) => c;
    return (c) => {
      const p = a(c),
        { _min: m, _max: y } = i,
        S = y - m;
      return (p - m) / S;
    };
  }
  function B(i) {
    let a = E[i];
    if (a == null) {
      const c = (e.scales || dr)[i] || dr;
      if (c.from != null) {
        B(c.from);
        const p = Le({}, E[c.from], c, { key: i });
        (p.valToPct = Z(p)), (E[i] = p);
      } else {
        (a = E[i] = Le({}, i == N ? yc : rh, c)), (a.key = i);
        let p = a.time,
          m = a.range,
          y = yn(m);
        if (
          (i != N || (r == 2 && !p)) &&
          (y &&
            (m[0] == null || m[1] == null) &&
            ((m = {
              min: m[0] == null ? yu : { mode: 1, hard: m[0], soft: m[0] },
              max: m[1] == null ? yu : { mode: 1, hard: m[1], soft: m[1] },
            }),
            (y = !1)),
          !y && dl(m))
        ) {
          const S = m;
          m = (P, C, O) => (C == null ? Ao : al(C, O, S));
        }
        (a.range = te(
          m ||
            (p
              ? vh
              : i == N
                ? a.distr == 3
                  ? yh
                  : a.distr == 4
                    ? wh
                    : Mc
                : a.distr == 3
                  ? Ac
                  : a.distr == 4
                    ? Rc
                    : gh),
        )),
          (a.auto = te(y ? !1 : a.auto)),
          (a.clamp = te(a.clamp || oh)),
          (a._min = a._max = null),
          (a.valToPct = Z(a));
      }
    }
  }
  B('x'),
    B('y'),
    r == 1 &&
      b.forEach((i) => {
        B(i.scale);
      }),
    R.forEach((i) => {
      B(i.scale);
    });
  for (const i in e.scales) B(i);
  let M = E[N],
    z = M.distr,
    L,
    q;
  M.ori == 0 ? (gt(h, Ap), (L = l), (q = s)) : (gt(h, Rp), (L = s), (q = l));
  const U = {};
  for (const i in E) {
    const a = E[i];
    (a.min != null || a.max != null) && ((U[i] = { min: a.min, max: a.max }), (a.min = a.max = null));
  }
  const ne = e.tzDate || ((i) => new Date(Ie(i / A))),
    W = e.fmtDate || Yi,
    it = A == 1 ? Ad(ne) : Ld(ne),
    be = Au(ne, Mu(A == 1 ? Md : Od, W)),
    re = Ou(ne, Ru(Fd, W)),
    fe = [],
    Q = (o.legend = Le({}, Id, e.legend)),
    I = (o.cursor = Le({}, zd, { drag: { y: r == 2 } }, e.cursor)),
    De = Q.show,
    Xe = I.show,
    Se = Q.markers;
  (Q.idxs = fe),
    (Se.width = te(Se.width)),
    (Se.dash = te(Se.dash)),
    (Se.stroke = te(Se.stroke)),
    (Se.fill = te(Se.fill));
  let ue,
    Rt,
    ct,
    Te = [],
    Bt = [],
    Zt,
    bt = !1,
    sn = {};
  if (Q.live) {
    const i = b[1] ? b[1].values : null;
    (bt = i != null), (Zt = bt ? i(o, 1, 0) : { _: 0 });
    for (const a in Zt) sn[a] = Vi;
  }
  if (De)
    if (((ue = Ht('table', Up, h)), (ct = Ht('tbody', null, ue)), Q.mount(o, ue), bt)) {
      Rt = Ht('thead', null, ue, ct);
      const i = Ht('tr', null, Rt);
      Ht('th', null, i);
      for (var Qn in Zt) Ht('th', iu, i).textContent = Qn;
    } else gt(ue, Vp), Q.live && gt(ue, Bp);
  const Xn = { show: !0 },
    $o = { show: !1 };
  function _r(i, a) {
    if (a == 0 && (bt || !Q.live || r == 2)) return Ao;
    const c = [],
      p = Ht('tr', zp, ct, ct.childNodes[a]);
    gt(p, i.class), i.show || gt(p, qn);
    const m = Ht('th', null, p);
    if (Se.show) {
      const P = Mt(Gp, m);
      if (a > 0) {
        const C = Se.width(o, a);
        C && (P.style.border = C + 'px ' + Se.dash(o, a) + ' ' + Se.stroke(o, a)),
          (P.style.background = Se.fill(o, a));
      }
    }
    const y = Mt(iu, m);
    i.label instanceof HTMLElement ? y.appendChild(i.label) : (y.textContent = i.label),
      a > 0 &&
        (Se.show || (y.style.color = i.width > 0 ? Se.stroke(o, a) : Se.fill(o, a)),
        et(
          'click',
          m,
          (P) => {
            if (I._lock) return;
            En(P);
            const C = b.indexOf(i);
            if ((P.ctrlKey || P.metaKey) != Q.isolate) {
              const O = b.some((D, $) => $ > 0 && $ != C && D.show);
              b.forEach((D, $) => {
                $ > 0 && Gt($, O ? ($ == C ? Xn : $o) : Xn, !0, Re.setSeries);
              });
            } else Gt(C, { show: !i.show }, !0, Re.setSeries);
          },
          !1,
        ),
        oo &&
          et(
            cu,
            m,
            (P) => {
              I._lock || (En(P), Gt(b.indexOf(i), _o, !0, Re.setSeries));
            },
            !1,
          ));
    for (var S in Zt) {
      const P = Ht('td', qp, p);
      (P.textContent = '--'), c.push(P);
    }
    return [p, c];
  }
  const bn = new Map();
  function et(i, a, c, p = !0) {
    const m = bn.get(a) || {},
      y = I.bind[i](o, a, c, p);
    y && (jn(i, a, (m[i] = y)), bn.set(a, m));
  }
  function eo(i, a, c) {
    const p = bn.get(a) || {};
    for (const m in p) (i == null || m == i) && (Fi(m, a, p[m]), delete p[m]);
    i == null && bn.delete(a);
  }
  let Qt = 0,
    Sn = 0,
    J = 0,
    F = 0,
    me = 0,
    Fe = 0,
    to = me,
    xn = Fe,
    Vt = J,
    kn = F,
    ft = 0,
    St = 0,
    st = 0,
    Ot = 0;
  o.bbox = {};
  let Sl = !1,
    vr = !1,
    no = !1,
    Tn = !1,
    gr = !1,
    xt = !1;
  function xl(i, a, c) {
    (c || i != o.width || a != o.height) && ps(i, a), ao(!1), (no = !0), (vr = !0), uo();
  }
  function ps(i, a) {
    (o.width = Qt = J = i), (o.height = Sn = F = a), (me = Fe = 0), bf(), Sf();
    const c = o.bbox;
    (ft = c.left = zn(me * ae, 0.5)),
      (St = c.top = zn(Fe * ae, 0.5)),
      (st = c.width = zn(J * ae, 0.5)),
      (Ot = c.height = zn(F * ae, 0.5));
  }
  const gf = 3;
  function yf() {
    let i = !1,
      a = 0;
    for (; !i; ) {
      a++;
      const c = Rf(a),
        p = Of(a);
      (i = a == gf || (c && p)), i || (ps(o.width, o.height), (vr = !0));
    }
  }
  function wf({ width: i, height: a }) {
    xl(i, a);
  }
  o.setSize = wf;
  function bf() {
    let i = !1,
      a = !1,
      c = !1,
      p = !1;
    R.forEach((m, y) => {
      if (m.show && m._show) {
        const { side: S, _size: P } = m,
          C = S % 2,
          O = m.label != null ? m.labelSize : 0,
          D = P + O;
        D > 0 &&
          (C
            ? ((J -= D), S == 3 ? ((me += D), (p = !0)) : (c = !0))
            : ((F -= D), S == 0 ? ((Fe += D), (i = !0)) : (a = !0)));
      }
    }),
      (Pn[0] = i),
      (Pn[1] = c),
      (Pn[2] = a),
      (Pn[3] = p),
      (J -= an[1] + an[3]),
      (me += an[3]),
      (F -= an[2] + an[0]),
      (Fe += an[0]);
  }
  function Sf() {
    let i = me + J,
      a = Fe + F,
      c = me,
      p = Fe;
    function m(y, S) {
      switch (y) {
        case 1:
          return ((i += S), i - S);
        case 2:
          return ((a += S), a - S);
        case 3:
          return ((c -= S), c + S);
        case 0:
          return ((p -= S), p + S);
      }
    }
    R.forEach((y, S) => {
      if (y.show && y._show) {
        const P = y.side;
        (y._pos = m(P, y._size)), y.label != null && (y._lpos = m(P, y.labelSize));
      }
    });
  }
  if (I.dataIdx == null) {
    const i = I.hover,
      a = (i.skip = new Set(i.skip ?? []));
    a.add(void 0);
    const c = (i.prox = te(i.prox)),
      p = (i.bias ??= 0);
    I.dataIdx = (m, y, S, P) => {
      if (y == 0) return S;
      let C = S,
        O = c(m, y, S, P) ?? de,
        D = O >= 0 && O < de,
        $ = M.ori == 0 ? J : F,
        j = I.left,
        se = t[0],
        le = t[y];
      if (a.has(le[S])) {
        C = null;
        let X = null,
          G = null,
          H;
        if (p == 0 || p == -1) for (H = S; X == null && H-- > 0; ) a.has(le[H]) || (X = H);
        if (p == 0 || p == 1) for (H = S; G == null && H++ < le.length; ) a.has(le[H]) || (G = H);
        if (X != null || G != null)
          if (D) {
            const ge = X == null ? -1 / 0 : L(se[X], M, $, 0),
              Pe = G == null ? 1 / 0 : L(se[G], M, $, 0),
              Ge = j - ge,
              pe = Pe - j;
            Ge <= pe ? Ge <= O && (C = X) : pe <= O && (C = G);
          } else C = G == null ? X : X == null ? G : S - X <= G - S ? X : G;
      } else D && He(j - L(se[S], M, $, 0)) > O && (C = null);
      return C;
    };
  }
  const En = (i) => {
    I.event = i;
  };
  (I.idxs = fe), (I._lock = !1);
  const Ze = I.points;
  (Ze.show = te(Ze.show)),
    (Ze.size = te(Ze.size)),
    (Ze.stroke = te(Ze.stroke)),
    (Ze.width = te(Ze.width)),
    (Ze.fill = te(Ze.fill));
  const zt = (o.focus = Le({}, e.focus || { alpha: 0.3 }, I.focus)),
    oo = zt.prox >= 0,
    ro = oo && Ze.one,
    kt = [],
    lo = [],
    io = [];
  function ds(i, a) {
    const c = Ze.show(o, a);
    if (c instanceof HTMLElement)
      return (gt(c, Wp), gt(c, i.class), Yt(c, -10, -10, J, F), x.insertBefore(c, kt[a]), c);
  }
  function hs(i, a) {
    if (r == 1 || a > 0) {
      const c = r == 1 && E[i.scale].time,
        p = i.value;
      (i.value = c ? (Tu(p) ? Ou(ne, Ru(p, W)) : p || re) : p || eh), (i.label = i.label || (c ? qd : Gd));
    }
    if (ro || a > 0) {
      (i.width = i.width == null ? 1 : i.width),
        (i.paths = i.paths || hh || rd),
        (i.fillTo = te(i.fillTo || lh)),
        (i.pxAlign = +ie(i.pxAlign, k)),
        (i.pxRound = Uu(i.pxAlign)),
        (i.stroke = te(i.stroke || null)),
        (i.fill = te(i.fill || null)),
        (i._stroke = i._fill = i._paths = i._focus = null);
      const c = th(lt(1, i.width), 1),
        p = (i.points = Le(
          {},
          {
            size: c,
            width: lt(1, c * 0.2),
            stroke: i.stroke,
            space: c * 2,
            paths: mh,
            _stroke: null,
            _fill: null,
          },
          i.points,
        ));
      (p.show = te(p.show)),
        (p.filter = te(p.filter)),
        (p.fill = te(p.fill)),
        (p.stroke = te(p.stroke)),
        (p.paths = te(p.paths)),
        (p.pxAlign = i.pxAlign);
    }
    if (De) {
      const c = _r(i, a);
      Te.splice(a, 0, c[0]), Bt.splice(a, 0, c[1]), Q.values.push(null);
    }
    if (Xe) {
      fe.splice(a, 0, null);
      let c = null;
      ro ? a == 0 && (c = ds(i, a)) : a > 0 && (c = ds(i, a)),
        kt.splice(a, 0, c),
        lo.splice(a, 0, 0),
        io.splice(a, 0, 0);
    }
    ze('addSeries', a);
  }
  function xf(i, a) {
    (a = a ?? b.length), (i = r == 1 ? Ui(i, a, Du, Hu) : Ui(i, a, {}, Iu)), b.splice(a, 0, i), hs(b[a], a);
  }
  o.addSeries = xf;
  function kf(i) {
    if ((b.splice(i, 1), De)) {
      Q.values.splice(i, 1), Bt.splice(i, 1);
      const a = Te.splice(i, 1)[0];
      eo(null, a.firstChild), a.remove();
    }
    Xe && (fe.splice(i, 1), kt.splice(i, 1)[0].remove(), lo.splice(i, 1), io.splice(i, 1)),
      ze('delSeries', i);
  }
  o.delSeries = kf;
  const Pn = [!1, !1, !1, !1];
  function Tf(i, a) {
    if (((i._show = i.show), i.show)) {
      let c = i.side % 2,
        p = E[i.scale];
      p == null && ((i.scale = c ? b[1].scale : N), (p = E[i.scale]));
      const m = p.time;
      (i.size = te(i.size)),
        (i.space = te(i.space)),
        (i.rotate = te(i.rotate)),
        yn(i.incrs) &&
          i.incrs.forEach((S) => {
            !wn.has(S) && wn.set(S, ec(S));
          }),
        (i.incrs = te(i.incrs || (p.distr == 2 ? Ed : m ? (A == 1 ? Cd : Rd) : Gn))),
        (i.splits = te(i.splits || (m && p.distr == 1 ? it : p.distr == 3 ? $i : p.distr == 4 ? Yd : Kd))),
        (i.stroke = te(i.stroke)),
        (i.grid.stroke = te(i.grid.stroke)),
        (i.ticks.stroke = te(i.ticks.stroke)),
        (i.border.stroke = te(i.border.stroke));
      const y = i.values;
      (i.values =
        yn(y) && !yn(y[0]) ? te(y) : m ? (yn(y) ? Au(ne, Mu(y, W)) : Tu(y) ? Dd(ne, y) : y || be) : y || jd),
        (i.filter = te(
          i.filter || (p.distr >= 3 && p.log == 10 ? Qd : p.distr == 3 && p.log == 2 ? Xd : Qu),
        )),
        (i.font = Gu(i.font)),
        (i.labelFont = Gu(i.labelFont)),
        (i._size = i.size(o, null, a, 0)),
        (i._space = i._rotate = i._incrs = i._found = i._splits = i._values = null),
        i._size > 0 && ((Pn[a] = !0), (i._el = Mt(Np, w)));
    }
  }
  function Io(i, a, c, p) {
    let [m, y, S, P] = c,
      C = a % 2,
      O = 0;
    return (
      C == 0 && (P || y) && (O = (a == 0 && !m) || (a == 2 && !S) ? Ie(Lu.size / 3) : 0),
      C == 1 && (m || S) && (O = (a == 1 && !y) || (a == 3 && !P) ? Ie(Nu.size / 2) : 0),
      O
    );
  }
  let ms = (o.padding = (e.padding || [Io, Io, Io, Io]).map((i) => te(ie(i, Io)))),
    an = (o._padding = ms.map((i, a) => i(o, a, Pn, 0))),
    je,
    We = null,
    Ue = null,
    yr = r == 1 ? b[0].idxs : null,
    Lt = null,
    Ho = !1;
  function _s(i, a) {
    if (((t = i ?? []), (o.data = o._data = t), r == 2)) {
      je = 0;
      for (let c = 1; c < b.length; c++) je += t[c][0].length;
    } else {
      t.length == 0 && (o.data = o._data = t = [[]]), (Lt = t[0]), (je = Lt.length);
      let c = t;
      if (z == 2) {
        c = t.slice();
        const p = (c[0] = Array(je));
        for (let m = 0; m < je; m++) p[m] = m;
      }
      o._data = t = c;
    }
    if ((ao(!0), ze('setData'), z == 2 && (no = !0), a !== !1)) {
      const c = M;
      c.auto(o, Ho) ? kl() : cn(N, c.min, c.max), (Tn = Tn || I.left >= 0), (xt = !0), uo();
    }
  }
  o.setData = _s;
  function kl() {
    Ho = !0;
    let i, a;
    r == 1 &&
      (je > 0
        ? ((We = yr[0] = 0),
          (Ue = yr[1] = je - 1),
          (i = t[0][We]),
          (a = t[0][Ue]),
          z == 2
            ? ((i = We), (a = Ue))
            : i == a &&
              (z == 3
                ? ([i, a] = fl(i, i, M.log, !1))
                : z == 4
                  ? ([i, a] = Gi(i, i, M.log, !1))
                  : M.time
                    ? (a = i + Ie(86400 / A))
                    : ([i, a] = al(i, a, qi, !0))))
        : ((We = yr[0] = i = null), (Ue = yr[1] = a = null))),
      cn(N, i, a);
  }
  let wr, so, Tl, El, Pl, Cl, Ml, Al, Rl, at;
  function vs(i, a, c, p, m, y) {
    (i ??= au),
      (c ??= Ki),
      (p ??= 'butt'),
      (m ??= au),
      (y ??= 'round'),
      i != wr && (g.strokeStyle = wr = i),
      m != so && (g.fillStyle = so = m),
      a != Tl && (g.lineWidth = Tl = a),
      y != Pl && (g.lineJoin = Pl = y),
      p != Cl && (g.lineCap = Cl = p),
      c != El && g.setLineDash((El = c));
  }
  function gs(i, a, c, p) {
    a != so && (g.fillStyle = so = a),
      i != Ml && (g.font = Ml = i),
      c != Al && (g.textAlign = Al = c),
      p != Rl && (g.textBaseline = Rl = p);
  }
  function Ol(i, a, c, p, m = 0) {
    if (p.length > 0 && i.auto(o, Ho) && (a == null || a.min == null)) {
      const y = ie(We, 0),
        S = ie(Ue, p.length - 1),
        P = c.min == null ? Qp(p, y, S, m, i.distr == 3) : [c.min, c.max];
      (i.min = Ut(i.min, (c.min = P[0]))), (i.max = lt(i.max, (c.max = P[1])));
    }
  }
  const ys = { min: null, max: null };
  function Ef() {
    for (const p in E) {
      const m = E[p];
      U[p] == null && (m.min == null || (U[N] != null && m.auto(o, Ho))) && (U[p] = ys);
    }
    for (const p in E) {
      const m = E[p];
      U[p] == null && m.from != null && U[m.from] != null && (U[p] = ys);
    }
    U[N] != null && ao(!0);
    const i = {};
    for (const p in U) {
      const m = U[p];
      if (m != null) {
        const y = (i[p] = Ro(E[p], sd));
        if (m.min != null) Le(y, m);
        else if (p != N || r == 2)
          if (je == 0 && y.from == null) {
            const S = y.range(o, null, null, p);
            (y.min = S[0]), (y.max = S[1]);
          } else (y.min = de), (y.max = -de);
      }
    }
    if (je > 0) {
      b.forEach((p, m) => {
        if (r == 1) {
          const y = p.scale,
            S = U[y];
          if (S == null) return;
          const P = i[y];
          if (m == 0) {
            const C = P.range(o, P.min, P.max, y);
            (P.min = C[0]),
              (P.max = C[1]),
              (We = Wt(P.min, t[0])),
              (Ue = Wt(P.max, t[0])),
              Ue - We > 1 && (t[0][We] < P.min && We++, t[0][Ue] > P.max && Ue--),
              (p.min = Lt[We]),
              (p.max = Lt[Ue]);
          } else p.show && p.auto && Ol(P, S, p, t[m], p.sorted);
          (p.idxs[0] = We), (p.idxs[1] = Ue);
        } else if (m > 0 && p.show && p.auto) {
          const [y, S] = p.facets,
            P = y.scale,
            C = S.scale,
            [O, D] = t[m],
            $ = i[P],
            j = i[C];
          $ != null && Ol($, U[P], y, O, y.sorted),
            j != null && Ol(j, U[C], S, D, S.sorted),
            (p.min = S.min),
            (p.max = S.max);
        }
      });
      for (const p in i) {
        const m = i[p],
          y = U[p];
        if (m.from == null && (y == null || y.min == null)) {
          const S = m.range(o, m.min == de ? null : m.min, m.max == -de ? null : m.max, p);
          (m.min = S[0]), (m.max = S[1]);
        }
      }
    }
    for (const p in i) {
      const m = i[p];
      if (m.from != null) {
        const y = i[m.from];
        if (y.min == null) m.min = m.max = null;
        else {
          const S = m.range(o, y.min, y.max, p);
          (m.min = S[0]), (m.max = S[1]);
        }
      }
    }
    let a = {},
      c = !1;
    for (const p in i) {
      const m = i[p],
        y = E[p];
      if (y.min != m.min || y.max != m.max) {
        (y.min = m.min), (y.max = m.max);
        const S = y.distr;
        (y._min = S == 3 ? on(y.min) : S == 4 ? Ci(y.min, y.asinh) : S == 100 ? y.fwd(y.min) : y.min),
          (y._max = S == 3 ? on(y.max) : S == 4 ? Ci(y.max, y.asinh) : S == 100 ? y.fwd(y.max) : y.max),
          (a[p] = c = !0);
      }
    }
    if (c) {
      b.forEach((p, m) => {
        r == 2 ? m > 0 && a.y && (p._paths = null) : a[p.scale] && (p._paths = null);
      });
      for (const p in a) (no = !0), ze('setScale', p);
      Xe && I.left >= 0 && (Tn = xt = !0);
    }
    for (const p in U) U[p] = null;
  }
  function Pf(i) {
    let a = Ni(We - 1, 0, je - 1),
      c = Ni(Ue + 1, 0, je - 1);
    for (; i[a] == null && a > 0; ) a--;
    for (; i[c] == null && c < je - 1; ) c++;
    return [a, c];
  }
  function Cf() {
    if (je > 0) {
      const i = b.some((a) => a._focus) && at != zt.alpha;
      i && (g.globalAlpha = at = zt.alpha),
        b.forEach((a, c) => {
          if (c > 0 && a.show && (ws(c, !1), ws(c, !0), a._paths == null)) {
            const p = at;
            at != a.alpha && (g.globalAlpha = at = a.alpha);
            const m = r == 2 ? [0, t[c][0].length - 1] : Pf(t[c]);
            (a._paths = a.paths(o, c, m[0], m[1])), at != p && (g.globalAlpha = at = p);
          }
        }),
        b.forEach((a, c) => {
          if (c > 0 && a.show) {
            const p = at;
            at != a.alpha && (g.globalAlpha = at = a.alpha), a._paths != null && bs(c, !1);
            {
              const m = a._paths != null ? a._paths.gaps : null,
                y = a.points.show(o, c, We, Ue, m),
                S = a.points.filter(o, c, y, m);
              (y || S) && ((a.points._paths = a.points.paths(o, c, We, Ue, S)), bs(c, !0));
            }
            at != p && (g.globalAlpha = at = p), ze('drawSeries', c);
          }
        }),
        i && (g.globalAlpha = at = 1);
    }
  }
  function ws(i, a) {
    const c = a ? b[i].points : b[i];
    (c._stroke = c.stroke(o, i)), (c._fill = c.fill(o, i));
  }
  function bs(i, a) {
    let c = a ? b[i].points : b[i],
      {
        stroke: p,
        fill: m,
        clip: y,
        flags: S,
        _stroke: P = c._stroke,
        _fill: C = c._fill,
        _width: O = c.width,
      } = c._paths;
    O = he(O * ae, 3);
    let D = null,
      $ = (O % 2) / 2;
    a && C == null && (C = O > 0 ? '#fff' : P);
    const j = c.pxAlign == 1 && $ > 0;
    if ((j && g.translate($, $), !a)) {
      const se = ft - O / 2,
        le = St - O / 2,
        X = st + O,
        G = Ot + O;
      (D = new Path2D()), D.rect(se, le, X, G);
    }
    a ? Ll(P, O, c.dash, c.cap, C, p, m, S, y) : Mf(i, P, O, c.dash, c.cap, C, p, m, S, D, y),
      j && g.translate(-$, -$);
  }
  function Mf(i, a, c, p, m, y, S, P, C, O, D) {
    let $ = !1;
    C != 0 &&
      K.forEach((j, se) => {
        if (j.series[0] == i) {
          let le = b[j.series[1]],
            X = t[j.series[1]],
            G = (le._paths || dr).band;
          yn(G) && (G = j.dir == 1 ? G[0] : G[1]);
          let H,
            ge = null;
          le.show && G && ed(X, We, Ue) ? ((ge = j.fill(o, se) || y), (H = le._paths.clip)) : (G = null),
            Ll(a, c, p, m, ge, S, P, C, O, D, H, G),
            ($ = !0);
        }
      }),
      $ || Ll(a, c, p, m, y, S, P, C, O, D);
  }
  const Ss = Oo | Hi;
  function Ll(i, a, c, p, m, y, S, P, C, O, D, $) {
    vs(i, a, c, p, m),
      (C || O || $) && (g.save(), C && g.clip(C), O && g.clip(O)),
      $
        ? (P & Ss) == Ss
          ? (g.clip($), D && g.clip(D), Sr(m, S), br(i, y, a))
          : P & Hi
            ? (Sr(m, S), g.clip($), br(i, y, a))
            : P & Oo && (g.save(), g.clip($), D && g.clip(D), Sr(m, S), g.restore(), br(i, y, a))
        : (Sr(m, S), br(i, y, a)),
      (C || O || $) && g.restore();
  }
  function br(i, a, c) {
    c > 0 &&
      (a instanceof Map
        ? a.forEach((p, m) => {
            (g.strokeStyle = wr = m), g.stroke(p);
          })
        : a != null && i && g.stroke(a));
  }
  function Sr(i, a) {
    a instanceof Map
      ? a.forEach((c, p) => {
          (g.fillStyle = so = p), g.fill(c);
        })
      : a != null && i && g.fill(a);
  }
  function Af(i, a, c, p) {
    let m = R[i],
      y;
    if (p <= 0) y = [0, 0];
    else {
      const S = (m._space = m.space(o, i, a, c, p)),
        P = (m._incrs = m.incrs(o, i, a, c, p, S));
      y = bh(a, c, P, p, S);
    }
    return (m._found = y);
  }
  function Dl(i, a, c, p, m, y, S, P, C, O) {
    const D = (S % 2) / 2;
    k == 1 && g.translate(D, D), vs(P, S, C, O, P), g.beginPath();
    let $,
      j,
      se,
      le,
      X = m + (p == 0 || p == 3 ? -y : y);
    c == 0 ? ((j = m), (le = X)) : (($ = m), (se = X));
    for (let G = 0; G < i.length; G++)
      a[G] != null && (c == 0 ? ($ = se = i[G]) : (j = le = i[G]), g.moveTo($, j), g.lineTo(se, le));
    g.stroke(), k == 1 && g.translate(-D, -D);
  }
  function Rf(i) {
    let a = !0;
    return (
      R.forEach((c, p) => {
        if (!c.show) return;
        const m = E[c.scale];
        if (m.min == null) {
          c._show && ((a = !1), (c._show = !1), ao(!1));
          return;
        } else c._show || ((a = !1), (c._show = !0), ao(!1));
        const y = c.side,
          S = y % 2,
          { min: P, max: C } = m,
          [O, D] = Af(p, P, C, S == 0 ? J : F);
        if (D == 0) return;
        const $ = m.distr == 2,
          j = (c._splits = c.splits(o, p, P, C, O, D, $)),
          se = m.distr == 2 ? j.map((H) => Lt[H]) : j,
          le = m.distr == 2 ? Lt[j[1]] - Lt[j[0]] : O,
          X = (c._values = c.values(o, c.filter(o, se, p, D, le), p, D, le));
        c._rotate = y == 2 ? c.rotate(o, X, p, D) : 0;
        const G = c._size;
        (c._size = At(c.size(o, X, p, i))), G != null && c._size != G && (a = !1);
      }),
      a
    );
  }
  function Of(i) {
    let a = !0;
    return (
      ms.forEach((c, p) => {
        const m = c(o, p, Pn, i);
        m != an[p] && (a = !1), (an[p] = m);
      }),
      a
    );
  }
  function Lf() {
    for (let i = 0; i < R.length; i++) {
      const a = R[i];
      if (!a.show || !a._show) continue;
      let c = a.side,
        p = c % 2,
        m,
        y,
        S = a.stroke(o, i),
        P = c == 0 || c == 3 ? -1 : 1,
        [C, O] = a._found;
      if (a.label != null) {
        const nt = a.labelGap * P,
          ht = Ie((a._lpos + nt) * ae);
        gs(a.labelFont[0], S, 'center', c == 2 ? 'top' : su),
          g.save(),
          p == 1
            ? ((m = y = 0), g.translate(ht, Ie(St + Ot / 2)), g.rotate((c == 3 ? -il : il) / 2))
            : ((m = Ie(ft + st / 2)), (y = ht));
        const An = Ju(a.label) ? a.label(o, i, C, O) : a.label;
        g.fillText(An, m, y), g.restore();
      }
      if (O == 0) continue;
      const D = E[a.scale],
        $ = p == 0 ? st : Ot,
        j = p == 0 ? ft : St,
        se = a._splits,
        le = D.distr == 2 ? se.map((nt) => Lt[nt]) : se,
        X = D.distr == 2 ? Lt[se[1]] - Lt[se[0]] : C,
        G = a.ticks,
        H = a.border,
        ge = G.show ? G.size : 0,
        Pe = Ie(ge * ae),
        Ge = Ie((a.alignTo == 2 ? a._size - ge - a.gap : a.gap) * ae),
        pe = (a._rotate * -il) / 180,
        Ce = T(a._pos * ae),
        pt = (Pe + Ge) * P,
        tt = Ce + pt;
      (y = p == 0 ? tt : 0), (m = p == 1 ? tt : 0);
      const Tt = a.font[0],
        Dt =
          a.align == 1
            ? Eo
            : a.align == 2
              ? Ti
              : pe > 0
                ? Eo
                : pe < 0
                  ? Ti
                  : p == 0
                    ? 'center'
                    : c == 3
                      ? Ti
                      : Eo,
        jt = pe || p == 1 ? 'middle' : c == 2 ? 'top' : su;
      gs(Tt, S, Dt, jt);
      const dt = a.font[1] * a.lineGap,
        Et = se.map((nt) => T(u(nt, D, $, j))),
        Ft = a._values;
      for (let nt = 0; nt < Ft.length; nt++) {
        let ht = Ft[nt];
        if (ht != null) {
          p == 0 ? (m = Et[nt]) : (y = Et[nt]), (ht = '' + ht);
          const An =
            ht.indexOf(`
`) == -1
              ? [ht]
              : ht.split(/\n/gm);
          for (let ot = 0; ot < An.length; ot++) {
            const Us = An[ot];
            pe
              ? (g.save(), g.translate(m, y + ot * dt), g.rotate(pe), g.fillText(Us, 0, 0), g.restore())
              : g.fillText(Us, m, y + ot * dt);
          }
        }
      }
      G.show &&
        Dl(Et, G.filter(o, le, i, O, X), p, c, Ce, Pe, he(G.width * ae, 3), G.stroke(o, i), G.dash, G.cap);
      const Kt = a.grid;
      Kt.show &&
        Dl(
          Et,
          Kt.filter(o, le, i, O, X),
          p,
          p == 0 ? 2 : 1,
          p == 0 ? St : ft,
          p == 0 ? Ot : st,
          he(Kt.width * ae, 3),
          Kt.stroke(o, i),
          Kt.dash,
          Kt.cap,
        ),
        H.show &&
          Dl(
            [Ce],
            [1],
            p == 0 ? 1 : 0,
            p == 0 ? 1 : 2,
            p == 1 ? St : ft,
            p == 1 ? Ot : st,
            he(H.width * ae, 3),
            H.stroke(o, i),
            H.dash,
            H.cap,
          );
    }
    ze('drawAxes');
  }
  function ao(i) {
    b.forEach((a, c) => {
      c > 0 &&
        ((a._paths = null),
        i &&
          (r == 1
            ? ((a.min = null), (a.max = null))
            : a.facets.forEach((p) => {
                (p.min = null), (p.max = null);
              })));
    });
  }
  let xr = !1,
    Fl = !1,
    Wo = [];
  function Df() {
    Fl = !1;
    for (let i = 0; i < Wo.length; i++) ze(...Wo[i]);
    Wo.length = 0;
  }
  function uo() {
    xr || (hd(xs), (xr = !0));
  }
  function Ff(i, a = !1) {
    (xr = !0), (Fl = a), i(o), xs(), a && Wo.length > 0 && queueMicrotask(Df);
  }
  o.batch = Ff;
  function xs() {
    if ((Sl && (Ef(), (Sl = !1)), no && (yf(), (no = !1)), vr)) {
      if (
        (we(v, Eo, me),
        we(v, 'top', Fe),
        we(v, ur, J),
        we(v, cr, F),
        we(x, Eo, me),
        we(x, 'top', Fe),
        we(x, ur, J),
        we(x, cr, F),
        we(w, ur, Qt),
        we(w, cr, Sn),
        (_.width = Ie(Qt * ae)),
        (_.height = Ie(Sn * ae)),
        R.forEach(({ _el: i, _show: a, _size: c, _pos: p, side: m }) => {
          if (i != null)
            if (a) {
              const y = m === 3 || m === 0 ? c : 0,
                S = m % 2 == 1;
              we(i, S ? 'left' : 'top', p - y),
                we(i, S ? 'width' : 'height', c),
                we(i, S ? 'top' : 'left', S ? Fe : me),
                we(i, S ? 'height' : 'width', S ? F : J),
                Di(i, qn);
            } else gt(i, qn);
        }),
        (wr = so = Tl = Pl = Cl = Ml = Al = Rl = El = null),
        (at = 1),
        Vo(!0),
        me != to || Fe != xn || J != Vt || F != kn)
      ) {
        ao(!1);
        const i = J / Vt,
          a = F / kn;
        if (Xe && !Tn && I.left >= 0) {
          (I.left *= i), (I.top *= a), co && Yt(co, Ie(I.left), 0, J, F), fo && Yt(fo, 0, Ie(I.top), J, F);
          for (let c = 0; c < kt.length; c++) {
            const p = kt[c];
            p != null && ((lo[c] *= i), (io[c] *= a), Yt(p, At(lo[c]), At(io[c]), J, F));
          }
        }
        if (ve.show && !gr && ve.left >= 0 && ve.width > 0) {
          (ve.left *= i), (ve.width *= i), (ve.top *= a), (ve.height *= a);
          for (const c in Ul) we(mo, c, ve[c]);
        }
        (to = me), (xn = Fe), (Vt = J), (kn = F);
      }
      ze('setSize'), (vr = !1);
    }
    Qt > 0 &&
      Sn > 0 &&
      (g.clearRect(0, 0, _.width, _.height), ze('drawClear'), V.forEach((i) => i()), ze('draw')),
      ve.show && gr && (kr(ve), (gr = !1)),
      Xe && Tn && (Mn(null, !0, !1), (Tn = !1)),
      Q.show && Q.live && xt && (Hl(), (xt = !1)),
      d || ((d = !0), (o.status = 1), ze('ready')),
      (Ho = !1),
      (xr = !1);
  }
  o.redraw = (i, a) => {
    (no = a || !1), i !== !1 ? cn(N, M.min, M.max) : uo();
  };
  function Nl(i, a) {
    const c = E[i];
    if (c.from == null) {
      if (je == 0) {
        const p = c.range(o, a.min, a.max, i);
        (a.min = p[0]), (a.max = p[1]);
      }
      if (a.min > a.max) {
        const p = a.min;
        (a.min = a.max), (a.max = p);
      }
      if (je > 1 && a.min != null && a.max != null && a.max - a.min < 1e-16) return;
      i == N &&
        c.distr == 2 &&
        je > 0 &&
        ((a.min = Wt(a.min, t[0])), (a.max = Wt(a.max, t[0])), a.min == a.max && a.max++),
        (U[i] = a),
        (Sl = !0),
        uo();
    }
  }
  o.setScale = Nl;
  let $l,
    Il,
    co,
    fo,
    ks,
    Ts,
    po,
    ho,
    Es,
    Ps,
    _e,
    xe,
    un = !1,
    Ke = I.drag,
    Be = Ke.x,
    Ve = Ke.y;
  Xe &&
    (I.x && ($l = Mt(Ip, x)),
    I.y && (Il = Mt(Hp, x)),
    M.ori == 0 ? ((co = $l), (fo = Il)) : ((co = Il), (fo = $l)),
    (_e = I.left),
    (xe = I.top));
  const ve = (o.select = Le({ show: !0, over: !0, left: 0, width: 0, top: 0, height: 0 }, e.select)),
    mo = ve.show ? Mt($p, ve.over ? x : v) : null;
  function kr(i, a) {
    if (ve.show) {
      for (const c in i) (ve[c] = i[c]), c in Ul && we(mo, c, i[c]);
      a !== !1 && ze('setSelect');
    }
  }
  o.setSelect = kr;
  function Nf(i) {
    if (b[i].show) De && Di(Te[i], qn);
    else if ((De && gt(Te[i], qn), Xe)) {
      const c = ro ? kt[0] : kt[i];
      c != null && Yt(c, -10, -10, J, F);
    }
  }
  function cn(i, a, c) {
    Nl(i, { min: a, max: c });
  }
  function Gt(i, a, c, p) {
    a.focus != null && Uf(i),
      a.show != null &&
        b.forEach((m, y) => {
          y > 0 &&
            (i == y || i == null) &&
            ((m.show = a.show),
            Nf(y),
            r == 2
              ? (cn(m.facets[0].scale, null, null), cn(m.facets[1].scale, null, null))
              : cn(m.scale, null, null),
            uo());
        }),
      c !== !1 && ze('setSeries', i, a),
      p && zo('setSeries', o, i, a);
  }
  o.setSeries = Gt;
  function $f(i, a) {
    Le(K[i], a);
  }
  function If(i, a) {
    (i.fill = te(i.fill || null)), (i.dir = ie(i.dir, -1)), (a = a ?? K.length), K.splice(a, 0, i);
  }
  function Hf(i) {
    i == null ? (K.length = 0) : K.splice(i, 1);
  }
  (o.addBand = If), (o.setBand = $f), (o.delBand = Hf);
  function Wf(i, a) {
    (b[i].alpha = a),
      Xe && kt[i] != null && (kt[i].style.opacity = a),
      De && Te[i] && (Te[i].style.opacity = a);
  }
  let Xt,
    fn,
    Cn,
    _o = { focus: !0 };
  function Uf(i) {
    if (i != Cn) {
      const a = i == null,
        c = zt.alpha != 1;
      b.forEach((p, m) => {
        if (r == 1 || m > 0) {
          const y = a || m == 0 || m == i;
          (p._focus = a ? null : y), c && Wf(m, y ? 1 : zt.alpha);
        }
      }),
        (Cn = i),
        c && uo();
    }
  }
  De &&
    oo &&
    et(fu, ue, (i) => {
      I._lock || (En(i), Cn != null && Gt(null, _o, !0, Re.setSeries));
    });
  function qt(i, a, c) {
    const p = E[a];
    c && (i = i / ae - (p.ori == 1 ? Fe : me));
    let m = J;
    p.ori == 1 && ((m = F), (i = m - i)), p.dir == -1 && (i = m - i);
    const y = p._min,
      S = p._max,
      P = i / m,
      C = y + (S - y) * P,
      O = p.distr;
    return O == 3 ? Mo(10, C) : O == 4 ? nd(C, p.asinh) : O == 100 ? p.bwd(C) : C;
  }
  function Bf(i, a) {
    const c = qt(i, N, a);
    return Wt(c, t[0], We, Ue);
  }
  (o.valToIdx = (i) => Wt(i, t[0])),
    (o.posToIdx = Bf),
    (o.posToVal = qt),
    (o.valToPos = (i, a, c) =>
      E[a].ori == 0 ? l(i, E[a], c ? st : J, c ? ft : 0) : s(i, E[a], c ? Ot : F, c ? St : 0)),
    (o.setCursor = (i, a, c) => {
      (_e = i.left), (xe = i.top), Mn(null, a, c);
    });
  function Cs(i, a) {
    we(mo, Eo, (ve.left = i)), we(mo, ur, (ve.width = a));
  }
  function Ms(i, a) {
    we(mo, 'top', (ve.top = i)), we(mo, cr, (ve.height = a));
  }
  const Uo = M.ori == 0 ? Cs : Ms,
    Bo = M.ori == 1 ? Cs : Ms;
  function Vf() {
    if (De && Q.live)
      for (let i = r == 2 ? 1 : 0; i < b.length; i++) {
        if (i == 0 && bt) continue;
        let a = Q.values[i],
          c = 0;
        for (const p in a) Bt[i][c++].firstChild.nodeValue = a[p];
      }
  }
  function Hl(i, a) {
    if (
      (i != null &&
        (i.idxs
          ? i.idxs.forEach((c, p) => {
              fe[p] = c;
            })
          : id(i.idx) || fe.fill(i.idx),
        (Q.idx = fe[0])),
      De && Q.live)
    ) {
      for (let c = 0; c < b.length; c++) (c > 0 || (r == 1 && !bt)) && zf(c, fe[c]);
      Vf();
    }
    (xt = !1), a !== !1 && ze('setLegend');
  }
  o.setLegend = Hl;
  function zf(i, a) {
    let c = b[i],
      p = i == 0 && z == 2 ? Lt : t[i],
      m;
    bt
      ? (m = c.values(o, i, a) ?? sn)
      : ((m = c.value(o, a == null ? null : p[a], i, a)), (m = m == null ? sn : { _: m })),
      (Q.values[i] = m);
  }
  function Mn(i, a, c) {
    (Es = _e),
      (Ps = xe),
      ([_e, xe] = I.move(o, _e, xe)),
      (I.left = _e),
      (I.top = xe),
      Xe && (co && Yt(co, Ie(_e), 0, J, F), fo && Yt(fo, 0, Ie(xe), J, F));
    let p,
      m = We > Ue;
    (Xt = de), (fn = null);
    const y = M.ori == 0 ? J : F,
      S = M.ori == 1 ? J : F;
    if (_e < 0 || je == 0 || m) {
      p = I.idx = null;
      for (let P = 0; P < b.length; P++) {
        const C = kt[P];
        C != null && Yt(C, -10, -10, J, F);
      }
      oo && Gt(null, _o, !0, i == null && Re.setSeries), Q.live && (fe.fill(p), (xt = !0));
    } else {
      let P, C, O;
      r == 1 &&
        ((P = M.ori == 0 ? _e : xe),
        (C = qt(P, N)),
        (p = I.idx = Wt(C, t[0], We, Ue)),
        (O = L(t[0][p], M, y, 0)));
      let D = -10,
        $ = -10,
        j = 0,
        se = 0,
        le = !0,
        X = '',
        G = '';
      for (let H = r == 2 ? 1 : 0; H < b.length; H++) {
        const ge = b[H],
          Pe = fe[H],
          Ge = Pe == null ? null : r == 1 ? t[H][Pe] : t[H][1][Pe],
          pe = I.dataIdx(o, H, p, C),
          Ce = pe == null ? null : r == 1 ? t[H][pe] : t[H][1][pe];
        if (((xt = xt || Ce != Ge || pe != Pe), (fe[H] = pe), H > 0 && ge.show)) {
          const pt = pe == null ? -10 : pe == p ? O : L(r == 1 ? t[0][pe] : t[H][0][pe], M, y, 0),
            tt = Ce == null ? -10 : q(Ce, r == 1 ? E[ge.scale] : E[ge.facets[1].scale], S, 0);
          if (oo && Ce != null) {
            const Tt = M.ori == 1 ? _e : xe,
              Dt = He(zt.dist(o, H, pe, tt, Tt));
            if (Dt < Xt) {
              const jt = zt.bias;
              if (jt != 0) {
                const dt = qt(Tt, ge.scale),
                  Et = Ce >= 0 ? 1 : -1,
                  Ft = dt >= 0 ? 1 : -1;
                Ft == Et &&
                  (Ft == 1 ? (jt == 1 ? Ce >= dt : Ce <= dt) : jt == 1 ? Ce <= dt : Ce >= dt) &&
                  ((Xt = Dt), (fn = H));
              } else (Xt = Dt), (fn = H);
            }
          }
          if (xt || ro) {
            let Tt, Dt;
            M.ori == 0 ? ((Tt = pt), (Dt = tt)) : ((Tt = tt), (Dt = pt));
            let jt,
              dt,
              Et,
              Ft,
              Kt,
              nt,
              ht = !0,
              An = Ze.bbox;
            if (An != null) {
              ht = !1;
              const ot = An(o, H);
              (Et = ot.left), (Ft = ot.top), (jt = ot.width), (dt = ot.height);
            } else (Et = Tt), (Ft = Dt), (jt = dt = Ze.size(o, H));
            if (((nt = Ze.fill(o, H)), (Kt = Ze.stroke(o, H)), ro))
              H == fn &&
                Xt <= zt.prox &&
                ((D = Et), ($ = Ft), (j = jt), (se = dt), (le = ht), (X = nt), (G = Kt));
            else {
              const ot = kt[H];
              ot != null &&
                ((lo[H] = Et),
                (io[H] = Ft),
                gu(ot, jt, dt, ht),
                _u(ot, nt, Kt),
                Yt(ot, At(Et), At(Ft), J, F));
            }
          }
        }
      }
      if (ro) {
        const H = zt.prox,
          ge = Cn == null ? Xt <= H : Xt > H || fn != Cn;
        if (xt || ge) {
          const Pe = kt[0];
          Pe != null &&
            ((lo[0] = D), (io[0] = $), gu(Pe, j, se, le), _u(Pe, X, G), Yt(Pe, At(D), At($), J, F));
        }
      }
    }
    if (ve.show && un)
      if (i != null) {
        const [P, C] = Re.scales,
          [O, D] = Re.match,
          [$, j] = i.cursor.sync.scales,
          se = i.cursor.drag;
        if (((Be = se._x), (Ve = se._y), Be || Ve)) {
          let { left: le, top: X, width: G, height: H } = i.select,
            ge = i.scales[$].ori,
            Pe = i.posToVal,
            Ge,
            pe,
            Ce,
            pt,
            tt,
            Tt = P != null && O(P, $),
            Dt = C != null && D(C, j);
          Tt && Be
            ? (ge == 0 ? ((Ge = le), (pe = G)) : ((Ge = X), (pe = H)),
              (Ce = E[P]),
              (pt = L(Pe(Ge, $), Ce, y, 0)),
              (tt = L(Pe(Ge + pe, $), Ce, y, 0)),
              Uo(Ut(pt, tt), He(tt - pt)))
            : Uo(0, y),
            Dt && Ve
              ? (ge == 1 ? ((Ge = le), (pe = G)) : ((Ge = X), (pe = H)),
                (Ce = E[C]),
                (pt = q(Pe(Ge, j), Ce, S, 0)),
                (tt = q(Pe(Ge + pe, j), Ce, S, 0)),
                Bo(Ut(pt, tt), He(tt - pt)))
              : Bo(0, S);
        } else Bl();
      } else {
        let P = He(Es - ks),
          C = He(Ps - Ts);
        if (M.ori == 1) {
          const j = P;
          (P = C), (C = j);
        }
        (Be = Ke.x && P >= Ke.dist), (Ve = Ke.y && C >= Ke.dist);
        const O = Ke.uni;
        O != null
          ? Be && Ve && ((Be = P >= O), (Ve = C >= O), !Be && !Ve && (C > P ? (Ve = !0) : (Be = !0)))
          : Ke.x && Ke.y && (Be || Ve) && (Be = Ve = !0);
        let D, $;
        Be &&
          (M.ori == 0 ? ((D = po), ($ = _e)) : ((D = ho), ($ = xe)), Uo(Ut(D, $), He($ - D)), Ve || Bo(0, S)),
          Ve &&
            (M.ori == 1 ? ((D = po), ($ = _e)) : ((D = ho), ($ = xe)),
            Bo(Ut(D, $), He($ - D)),
            Be || Uo(0, y)),
          !Be && !Ve && (Uo(0, 0), Bo(0, 0));
      }
    if (((Ke._x = Be), (Ke._y = Ve), i == null)) {
      if (c) {
        if (Ws != null) {
          const [P, C] = Re.scales;
          (Re.values[0] = P != null ? qt(M.ori == 0 ? _e : xe, P) : null),
            (Re.values[1] = C != null ? qt(M.ori == 1 ? _e : xe, C) : null);
        }
        zo(Ei, o, _e, xe, J, F, p);
      }
      if (oo) {
        const P = c && Re.setSeries,
          C = zt.prox;
        Cn == null
          ? Xt <= C && Gt(fn, _o, !0, P)
          : Xt > C
            ? Gt(null, _o, !0, P)
            : fn != Cn && Gt(fn, _o, !0, P);
      }
    }
    xt && ((Q.idx = p), Hl()), a !== !1 && ze('setCursor');
  }
  let pn = null;
  Object.defineProperty(o, 'rect', {
    get() {
      return (pn == null && Vo(!1), pn);
    },
  });
  function Vo(i = !1) {
    i ? (pn = null) : ((pn = x.getBoundingClientRect()), ze('syncRect', pn));
  }
  function As(i, a, c, p, m, y, S) {
    I._lock ||
      (un && i != null && i.movementX == 0 && i.movementY == 0) ||
      (Wl(i, a, c, p, m, y, S, !1, i != null), i != null ? Mn(null, !0, !0) : Mn(a, !0, !1));
  }
  function Wl(i, a, c, p, m, y, S, P, C) {
    if ((pn == null && Vo(!1), En(i), i != null)) (c = i.clientX - pn.left), (p = i.clientY - pn.top);
    else {
      if (c < 0 || p < 0) {
        (_e = -10), (xe = -10);
        return;
      }
      const [O, D] = Re.scales,
        $ = a.cursor.sync,
        [j, se] = $.values,
        [le, X] = $.scales,
        [G, H] = Re.match,
        ge = a.axes[0].side % 2 == 1,
        Pe = M.ori == 0 ? J : F,
        Ge = M.ori == 1 ? J : F,
        pe = ge ? y : m,
        Ce = ge ? m : y,
        pt = ge ? p : c,
        tt = ge ? c : p;
      if (
        (le != null ? (c = G(O, le) ? u(j, E[O], Pe, 0) : -10) : (c = Pe * (pt / pe)),
        X != null ? (p = H(D, X) ? u(se, E[D], Ge, 0) : -10) : (p = Ge * (tt / Ce)),
        M.ori == 1)
      ) {
        const Tt = c;
        (c = p), (p = Tt);
      }
    }
    C &&
      (a == null || a.cursor.event.type == Ei) &&
      ((c <= 1 || c >= J - 1) && (c = zn(c, J)), (p <= 1 || p >= F - 1) && (p = zn(p, F))),
      P ? ((ks = c), (Ts = p), ([po, ho] = I.move(o, c, p))) : ((_e = c), (xe = p));
  }
  const Ul = { width: 0, height: 0, left: 0, top: 0 };
  function Bl() {
    kr(Ul, !1);
  }
  let Rs, Os, Ls, Ds;
  function Fs(i, a, c, p, m, y, S) {
    (un = !0),
      (Be = Ve = Ke._x = Ke._y = !1),
      Wl(i, a, c, p, m, y, S, !0, !1),
      i != null && (et(Pi, Oi, Ns, !1), zo(uu, o, po, ho, J, F, null));
    const { left: P, top: C, width: O, height: D } = ve;
    (Rs = P), (Os = C), (Ls = O), (Ds = D);
  }
  function Ns(i, a, c, p, m, y, S) {
    (un = Ke._x = Ke._y = !1), Wl(i, a, c, p, m, y, S, !1, !0);
    const { left: P, top: C, width: O, height: D } = ve,
      $ = O > 0 || D > 0,
      j = Rs != P || Os != C || Ls != O || Ds != D;
    if (($ && j && kr(ve), Ke.setScale && $ && j)) {
      let se = P,
        le = O,
        X = C,
        G = D;
      if ((M.ori == 1 && ((se = C), (le = D), (X = P), (G = O)), Be && cn(N, qt(se, N), qt(se + le, N)), Ve))
        for (const H in E) {
          const ge = E[H];
          H != N && ge.from == null && ge.min != de && cn(H, qt(X + G, H), qt(X, H));
        }
      Bl();
    } else I.lock && ((I._lock = !I._lock), Mn(a, !0, i != null));
    i != null && (eo(Pi, Oi), zo(Pi, o, _e, xe, J, F, null));
  }
  function Gf(i, a, c, p, m, y, S) {
    if (I._lock) return;
    En(i);
    const P = un;
    if (un) {
      let C = !0,
        O = !0,
        D = 10,
        $,
        j;
      M.ori == 0 ? (($ = Be), (j = Ve)) : (($ = Ve), (j = Be)),
        $ && j && ((C = _e <= D || _e >= J - D), (O = xe <= D || xe >= F - D)),
        $ && C && (_e = _e < po ? 0 : J),
        j && O && (xe = xe < ho ? 0 : F),
        Mn(null, !0, !0),
        (un = !1);
    }
    (_e = -10), (xe = -10), fe.fill(null), Mn(null, !0, !0), P && (un = P);
  }
  function $s(i, a, c, p, m, y, S) {
    I._lock || (En(i), kl(), Bl(), i != null && zo(pu, o, _e, xe, J, F, null));
  }
  function Is() {
    R.forEach(Sh), xl(o.width, o.height, !0);
  }
  jn(sl, Co, Is);
  const vo = {};
  (vo.mousedown = Fs),
    (vo.mousemove = As),
    (vo.mouseup = Ns),
    (vo.dblclick = $s),
    (vo.setSeries = (i, a, c, p) => {
      const m = Re.match[2];
      (c = m(o, a, c)), c != -1 && Gt(c, p, !0, !1);
    }),
    Xe &&
      (et(uu, x, Fs),
      et(Ei, x, As),
      et(cu, x, (i) => {
        En(i), Vo(!1);
      }),
      et(fu, x, Gf),
      et(pu, x, $s),
      Wi.add(o),
      (o.syncRect = Vo));
  const Tr = (o.hooks = e.hooks || {});
  function ze(i, a, c) {
    Fl
      ? Wo.push([i, a, c])
      : i in Tr &&
        Tr[i].forEach((p) => {
          p.call(null, o, a, c);
        });
  }
  (e.plugins || []).forEach((i) => {
    for (const a in i.hooks) Tr[a] = (Tr[a] || []).concat(i.hooks[a]);
  });
  const Hs = (i, a, c) => c,
    Re = Le(
      {
        key: null,
        setSeries: !1,
        filters: { pub: xu, sub: xu },
        scales: [N, b[1] ? b[1].scale : null],
        match: [ku, ku, Hs],
        values: [null, null],
      },
      I.sync,
    );
  Re.match.length == 2 && Re.match.push(Hs), (I.sync = Re);
  const Ws = Re.key,
    Vl = wc(Ws);
  function zo(i, a, c, p, m, y, S) {
    Re.filters.pub(i, a, c, p, m, y, S) && Vl.pub(i, a, c, p, m, y, S);
  }
  Vl.sub(o);
  function qf(i, a, c, p, m, y, S) {
    Re.filters.sub(i, a, c, p, m, y, S) && vo[i](null, a, c, p, m, y, S);
  }
  o.pub = qf;
  function jf() {
    Vl.unsub(o), Wi.delete(o), bn.clear(), Fi(sl, Co, Is), h.remove(), ue?.remove(), ze('destroy');
  }
  o.destroy = jf;
  function zl() {
    ze('init', e, t),
      _s(t || e.data, !1),
      U[N] ? Nl(N, U[N]) : kl(),
      (gr = ve.show && (ve.width > 0 || ve.height > 0)),
      (Tn = xt = !0),
      xl(e.width, e.height);
  }
  return (
    b.forEach(hs),
    R.forEach(Tf),
    n ? (n instanceof HTMLElement ? (n.appendChild(h), zl()) : n(o, zl)) : zl(),
    o
  );
}
qe.assign = Le;
qe.fmtNum = ji;
qe.rangeNum = al;
qe.rangeLog = fl;
qe.rangeAsinh = Gi;
qe.orient = Yn;
qe.pxRatio = ae;
qe.join = dd;
(qe.fmtDate = Yi), (qe.tzDate = kd);
qe.sync = wc;
{
  (qe.addGap = ih), (qe.clipGaps = hl);
  const e = (qe.paths = { points: Ec });
  (e.linear = Cc), (e.stepped = uh), (e.bars = ch), (e.spline = ph);
}
var Oc = 'theme',
  ns = matchMedia('(prefers-color-scheme: dark)'),
  Lc = ee(ns.matches),
  Jn = ee(xh()),
  Dc = Me(() => (Jn.value === 'system' ? Lc.value : Jn.value === 'dark'));
function Fc() {
  ns.addEventListener('change', () => {
    Lc.value = ns.matches;
  }),
    Qe(() => {
      document.documentElement.dataset.theme = Jn.value;
      try {
        localStorage.setItem(Oc, Jn.value);
      } catch {}
    });
}
function xh() {
  try {
    const e = localStorage.getItem(Oc);
    if (e === 'light' || e === 'dark') return e;
  } catch {}
  return 'system';
}
var Nc = 112;
function gl(e) {
  const { title: t, range: n, data: o, series: r, format: l } = e,
    s = mn(null),
    u = mn(void 0),
    [d, h] = mt(null),
    _ = Dc.value;
  rt(() => {
    const x = new qe(kh(e, s.current, h), o, s.current);
    u.current = x;
    const k = new ResizeObserver(([T]) => {
      x.setSize({ width: Math.floor(T.contentRect.width), height: Nc });
    });
    return (
      k.observe(s.current),
      () => {
        k.disconnect(), x.destroy();
      }
    );
  }, [_]),
    rt(() => u.current?.setData(o), [o]);
  const g = d ?? o[0].length - 1,
    w = r.map(({ name: x }, k) => {
      const T = o[k + 1][g] ?? null;
      return { name: x, text: T === null ? '–' : l(T) };
    }),
    v = o[0][g] ?? null;
  return f('figure', {
    class: 'panel chart',
    children: [
      f('figcaption', {
        children: [
          f('span', { class: 'chart-title', children: t }),
          f('span', {
            class: 'number values',
            children: w.map(({ name: x, text: k }, T) =>
              f(
                'span',
                {
                  children: [
                    f('span', { class: `key k-${r[T].colour.slice(2)}`, 'aria-hidden': 'true' }),
                    r.length > 1 && f('span', { class: 'dim', children: [x, ' '] }),
                    k,
                  ],
                },
                x,
              ),
            ),
          }),
          f('span', {
            class: 'dim number when',
            children: d === null || v === null ? n : lr(new Date(v * 1e3)).slice(0, 8),
          }),
        ],
      }),
      f('div', { ref: s, class: 'plot', 'aria-hidden': 'true' }),
    ],
  });
}
function kh({ series: e, kind: t, format: n, data: o }, r, l) {
  const [s, u] = [os(r, '--dim'), os(r, '--line')],
    d = { stroke: s, font: '11px system-ui', grid: { stroke: u, width: 1 }, ticks: { show: !1 } };
  return {
    width: Math.max(100, Math.floor(r.clientWidth)),
    height: Nc,
    legend: { show: !1 },
    cursor: { y: !1, drag: { x: !1, y: !1 }, points: { size: 5 } },
    scales: { y: { range: (h, _, g) => [0, Math.max(g * 1.1, 1e-4)] } },
    axes: [
      { ...d, grid: { show: !1 }, space: 70, size: 22 },
      { ...d, size: 48, space: 28, values: (h, _) => _.map((g) => n(g)) },
    ],
    series: [
      {},
      ...e.map(({ name: h, colour: _ }) => {
        const g = os(r, _),
          w = t === 'bars' && { paths: qe.paths.bars({ size: [0.8, 24], align: 1 }) },
          v = t === 'line' ? {} : { fill: Th(g, t === 'bars' ? 0.7 : 0.18) };
        return {
          label: h,
          stroke: g,
          width: t === 'bars' ? 0 : 1.5,
          points: { show: !1 },
          spanGaps: !1,
          ...v,
          ...w,
        };
      }),
    ],
    hooks: { setCursor: [({ cursor: h }) => l(h.idx ?? null)] },
  };
}
function os(e, t) {
  e.style.color = `var(${t})`;
  const n = getComputedStyle(e).color;
  return ((e.style.color = ''), n);
}
function Th(e, t) {
  return e.replace(/^rgb\((.*)\)$/, `rgba($1, ${t})`);
}
var Eh = Me(() => gn.series(It.value)),
  Ph = Me(() => Math.floor(It.value / 36e5)),
  No = Me(() => lu(Un.value?.timeline ?? [], Ph.value)),
  Ch = Me(() => [No.value.at, No.value.tokens_in, No.value.tokens_out]),
  Mh = Me(() => [No.value.at, No.value.cost_usd]),
  $c = Me(() => {
    const e = No.value.at.length;
    return e > 24 ? `${Math.ceil(e / 24)} days` : '24 hours';
  });
function Ic() {
  return f('section', {
    class: 'charts',
    'aria-label': 'Over time',
    children: [f(Ah, {}), f(Rh, {}), f(Oh, {})],
  });
}
function Ah() {
  return f(gl, {
    title: 'Events per second',
    range: `${xi / 60} minutes`,
    data: Eh.value,
    series: [{ name: 'events', colour: '--series-1' }],
    format: ye,
    kind: 'area',
  });
}
function Rh() {
  return f(gl, {
    title: 'Tokens per hour',
    range: $c.value,
    data: Ch.value,
    series: [
      { name: 'in', colour: '--series-1' },
      { name: 'out', colour: '--series-2' },
    ],
    format: ut,
    kind: 'line',
  });
}
function Oh() {
  return f(gl, {
    title: 'Cost per hour',
    range: $c.value,
    data: Mh.value,
    series: [{ name: 'cost', colour: '--series-3' }],
    format: Ct,
    kind: 'bars',
  });
}
var Wc = /\s/;
function Uc(e, t) {
  let n,
    o = ln(e, ln(e, 0) + 1);
  for (; e[o] === '"'; ) {
    const r = rs(e, o),
      l = ln(e, ln(e, r) + 1),
      s = rs(e, l);
    Lh(e.slice(o, r)) === t && (n = e.slice(l, s)), (o = ln(e, ln(e, s) + 1));
  }
  return n;
}
function Bc(e) {
  let t = '',
    n = 0,
    o = () => `
${'  '.repeat(n)}`;
  for (let r = ln(e, 0); r < e.length; r = ln(e, r)) {
    const l = e[r];
    if (l === '{' || l === '[') {
      const s = ln(e, r + 1);
      if (e[s] === '}' || e[s] === ']') {
        (t += l + e[s]), (r = s + 1);
        continue;
      }
      n++, (t += l + o());
    } else if (l === '}' || l === ']') n--, (t += o() + l);
    else if (l === ',') t += l + o();
    else if (l === ':') t += ': ';
    else {
      const s = rs(e, r);
      (t += e.slice(r, s)), (r = s);
      continue;
    }
    r++;
  }
  return t;
}
function rs(e, t) {
  const n = e[t];
  if (n === '"') return Hc(e, t);
  if (n !== '{' && n !== '[') {
    let l = t + 1;
    for (; l < e.length && !',:]}'.includes(e[l]) && !Wc.test(e[l]); ) l++;
    return l;
  }
  let o = 0,
    r = t;
  for (; r < e.length; ) {
    const l = e[r];
    if (l === '"') {
      r = Hc(e, r);
      continue;
    }
    if ((r++, l === '{' || l === '[')) o++;
    else if ((l === '}' || l === ']') && --o === 0) break;
  }
  return r;
}
function Hc(e, t) {
  let n = t + 1;
  for (; n < e.length && e[n] !== '"'; ) n += e[n] === '\\' ? 2 : 1;
  return n + 1;
}
function ln(e, t) {
  let n = t;
  for (; n < e.length && Wc.test(e[n]); ) n++;
  return n;
}
function Lh(e) {
  return e.includes('\\') ? JSON.parse(e) : e.slice(1, -1);
}
function yl({ text: e, name: t = 'Copy' }) {
  const [n, o] = mt('no');
  return (
    rt(() => {
      if (n === 'no') return;
      const l = setTimeout(() => o('no'), 2e3);
      return () => clearTimeout(l);
    }, [n]),
    f('button', {
      type: 'button',
      onClick: () => {
        navigator.clipboard.writeText(e).then(
          () => o('copied'),
          () => o('failed'),
        );
      },
      children: n === 'no' ? t : n === 'copied' ? 'Copied' : 'Could not copy',
    })
  );
}
function Vc({ row: e }) {
  return f('dl', {
    class: 'fields',
    children: Dh(e).map(([t, n]) =>
      f('div', { children: [f('dt', { children: t }), f('dd', { class: 'text', children: Ae(n, 2e3) })] }, t),
    ),
  });
}
function Dh(e) {
  return [
    ['Type', e.event_type],
    ['Status', e.status],
    ['Stored', wi(new Date(e.created_at))],
    ['Client time', e.client_timestamp === null ? null : wi(new Date(e.client_timestamp))],
    ['Session', e.session_id],
    ['Agent', e.agent_type],
    ['Tool', e.tool_name],
    ['Took', e.duration_ms === null ? null : ko(e.duration_ms)],
    ['Tokens in', wl(e.tokens_in)],
    ['Tokens out', wl(e.tokens_out)],
    ['Read from cache', wl(e.cache_read_tokens)],
    ['Written to cache', wl(e.cache_write_tokens)],
    ['Cost', e.cost_usd === null ? null : Ct(e.cost_usd)],
    ['Model', e.model],
    ['Project', e.project],
    ['Branch', e.branch],
    ['Source', e.source],
    ['Event id', e.event_id],
  ].flatMap(([n, o]) => (o === null ? [] : [[n, o]]));
}
function wl(e) {
  return e === 0 ? null : ye(e);
}
function Gc() {
  const e = vt.value,
    t = mn(null),
    [n, o] = mt(null);
  rt(() => {
    const l = t.current;
    if (e === null) {
      l.open && l.close();
      return;
    }
    l.open || l.showModal();
    const s = new AbortController();
    return ($h(e, s.signal).then(o, () => {}), () => s.abort());
  }, [e]);
  const r = n === null || Ih(n) !== e ? null : n;
  return f('dialog', {
    ref: t,
    class: 'detail',
    'aria-labelledby': 'detail-title',
    onClose: qc,
    children: [
      f('div', {
        class: 'detail-head',
        children: [
          f('h2', { id: 'detail-title', children: ['Event ', e] }),
          f('span', { class: 'spring' }),
          f(zc, { id: e, step: -1, name: 'Newer' }),
          f(zc, { id: e, step: 1, name: 'Older' }),
          f('button', { type: 'button', onClick: () => t.current?.close(), children: 'Close' }),
        ],
      }),
      r === null && f('p', { class: 'empty', children: 'Loading…' }),
      r !== null && 'failure' in r && f('p', { class: 'empty', children: r.failure }),
      r !== null &&
        'row' in r &&
        f(Ye, {
          children: [
            f(Vc, { row: r.row }),
            f('p', {
              class: 'detail-acts',
              children: f('button', {
                type: 'button',
                onClick: () => Nh(r.row.session_id),
                children: 'Show this session',
              }),
            }),
            f(Fh, { text: r.metadata, isCut: r.row.payload_truncated }),
          ],
        }),
    ],
  });
}
function Fh({ text: e, isCut: t }) {
  const [n, o] = mt(!1);
  return f('section', {
    class: 'metadata',
    'aria-labelledby': 'metadata-title',
    children: [
      f('div', {
        class: 'panel-head',
        children: [
          f('h3', { id: 'metadata-title', children: 'Metadata' }),
          f('span', {
            class: 'dim number',
            children: [rr(new Blob([e]).size), t && ', the rest was cut off'],
          }),
          f('span', { class: 'spring' }),
          f('button', { type: 'button', 'aria-pressed': n, onClick: () => o(!n), children: 'As sent' }),
          f(yl, { text: e }),
        ],
      }),
      f('pre', { tabIndex: 0, 'aria-label': n ? 'Metadata as sent' : 'Metadata', children: n ? e : Bc(e) }),
    ],
  });
}
function zc({ id: e, step: t, name: n }) {
  const o = Hn.value.flatMap((s) => ('row' in s ? [s.row.id] : [])),
    r = e === null ? -1 : o.indexOf(e),
    l = r < 0 ? void 0 : o[r + t];
  return f('button', {
    type: 'button',
    disabled: l === void 0,
    onClick: () => {
      Je.value !== null && (Je.value = l), (vt.value = l);
    },
    children: n,
  });
}
function qc() {
  vt.value = null;
}
function Nh(e) {
  tn('session_id', e), (Je.value = null), qc();
}
async function $h(e, t) {
  try {
    const n = await (await hi(`/api/events/${e}`, t)).text();
    return { row: JSON.parse(n), metadata: Uc(n, 'metadata') ?? '' };
  } catch (n) {
    return (t.throwIfAborted(), { failure: `It could not be loaded: ${Ae(String(n.message))}.`, id: e });
  }
}
function Ih(e) {
  return 'row' in e ? e.row.id : e.id;
}
function jc() {
  const t = `curl ${location.origin}/api/events -H 'content-type: application/json' -d '{"session_id":"hello","agent_type":"curl","event_type":"user_prompt","metadata":{"text":"Hello"}}'`;
  return f('div', {
    class: 'empty',
    children: [
      f('p', { children: [f('strong', { children: 'No events yet.' }), ' Send one, and it appears here:'] }),
      f('pre', { children: t }),
      f('p', {
        children: [
          f(yl, { text: t }),
          ' ',
          f('span', { class: 'dim', children: 'or run' }),
          ' ',
          f('code', { children: 'pnpm demo' }),
          f('span', { class: 'dim', children: ', or' }),
          ' ',
          f('code', { children: 'pnpm connect' }),
          ' ',
          f('span', { class: 'dim', children: 'to watch Claude Code.' }),
        ],
      }),
    ],
  });
}
var Hh = [
    'command',
    'file_path',
    'query',
    'pattern',
    'error',
    'message',
    'prompt',
    'description',
    'text',
    'content',
    'path',
    'url',
    'title',
    'name',
    'reason',
    'type',
  ],
  Wh = 240,
  Kc = new WeakMap();
function Jc(e) {
  let t = Kc.get(e);
  return (t === void 0 && ((t = Ae(Uh(e.metadata) ?? Bh(e), Wh)), Kc.set(e, t)), t);
}
function Uh(e) {
  if (typeof e == 'string') return e;
  if (!Yc(e)) return Array.isArray(e) ? `${e.length} items` : null;
  const t = Object.values(e).filter(Yc);
  for (const o of Hh)
    for (const r of [e, ...t]) {
      const l = Object.hasOwn(r, o) ? r[o] : void 0;
      if (typeof l == 'string' && l.trim() !== '') return l;
    }
  const n = Object.keys(e);
  return n.length === 0 ? null : `{ ${n.slice(0, 8).join(', ')} }`;
}
function Yc(e) {
  return typeof e == 'object' && e !== null && !Array.isArray(e);
}
function Bh({ project: e, branch: t, model: n }) {
  return [e, t, n].filter((o) => o !== null).join(' · ');
}
function ls(e) {
  return `event-${e}`;
}
function Zc({ row: e, index: t, style: n, isChosen: o }) {
  const { id: r, event_type: l, status: s } = e;
  return f('div', {
    id: ls(r),
    class: `row event is-${s}`,
    role: 'row',
    'aria-rowindex': t,
    'aria-selected': o,
    'data-id': r,
    style: n,
    onClick: () => {
      vt.value = r;
    },
    children: [
      f('span', { role: 'gridcell', class: 'c-time number', children: lr(new Date(e.created_at)) }),
      f('span', { role: 'gridcell', class: `c-type t-${l}`, children: l }),
      f('span', { role: 'gridcell', class: 'c-agent text', children: Ae(e.agent_type, 60) }),
      f('span', { role: 'gridcell', class: 'c-tool text', children: Ae(e.tool_name ?? '', 60) }),
      f('span', {
        role: 'gridcell',
        class: 'c-what text',
        children: [s !== 'success' && f('span', { class: 'mark', children: [s, ' '] }), Jc(e)],
      }),
      f('span', {
        role: 'gridcell',
        class: 'c-took number',
        children: e.duration_ms === null ? '' : ko(e.duration_ms),
      }),
      f('span', {
        role: 'gridcell',
        class: 'c-tokens number',
        children: e.tokens_in + e.tokens_out === 0 ? '' : `${ut(e.tokens_in)}/${ut(e.tokens_out)}`,
      }),
      f('span', {
        role: 'gridcell',
        class: 'c-cost number',
        children: e.cost_usd === null ? '' : Ct(e.cost_usd),
      }),
      f('span', { role: 'gridcell', class: 'c-session text', children: Ae(e.session_id, 40) }),
    ],
  });
}
var Qc = { wide: 28, narrow: 46 },
  Xc = 4,
  Vh = ['Time', 'Type', 'Agent', 'Tool', 'What', 'Took', 'Tokens', 'Cost', 'Session'],
  ss = matchMedia('(max-width: 720px)'),
  ef = ee(ss.matches);
ss.addEventListener('change', () => {
  ef.value = ss.matches;
});
var is = ee(0),
  as = ee(600),
  Jt = null;
function tf() {
  (Je.value = null), Jt?.scrollTo({ top: 0 });
}
function nf() {
  const e = mn(null);
  rt(() => {
    Jt = e.current;
    const s = new ResizeObserver(([u]) => {
      as.value = u.contentRect.height;
    });
    return (s.observe(Jt), () => s.disconnect());
  }, []);
  const t = Hn.value,
    n = ef.value ? Qc.narrow : Qc.wide,
    o = Math.max(0, Math.floor(is.value / n) - Xc),
    r = Math.min(t.length, Math.ceil((is.value + as.value) / n) + Xc),
    l = Je.value;
  return f('div', {
    id: 'feed',
    ref: e,
    class: 'feed',
    role: 'grid',
    tabIndex: 0,
    'aria-labelledby': 'feed-title',
    'aria-describedby': 'feed-keys',
    'aria-rowcount': t.length + 1,
    'aria-busy': !or.value,
    'aria-activedescendant': l === null ? void 0 : ls(l),
    onScroll: (s) => {
      (is.value = s.currentTarget.scrollTop), (vi.value = s.currentTarget.scrollTop > 2);
    },
    onKeyDown: (s) => qh(s, n),
    children: [
      f('p', {
        id: 'feed-keys',
        hidden: !0,
        children: 'Arrow keys choose an event, Enter shows its details, Escape lets go.',
      }),
      f('div', {
        class: 'feed-head row',
        role: 'row',
        'aria-rowindex': 1,
        children: Vh.map((s) =>
          f('span', { role: 'columnheader', class: `c-${s.toLowerCase()}`, children: s }, s),
        ),
      }),
      f('div', {
        class: 'feed-body',
        role: 'rowgroup',
        style: { height: `${t.length * n}px` },
        children: t.slice(o, r).map((s, u) => f(zh, { item: s, index: o + u, row_px: n }, (o + u) % (r - o))),
      }),
      t.length === 0 && or.value && f(Gh, {}),
    ],
  });
}
function zh({ item: e, index: t, row_px: n }) {
  const o = { transform: `translateY(${t * n}px)` };
  if ('row' in e) {
    const u = (Je.value ?? vt.value) === e.row.id;
    return f(Zc, { row: e.row, index: t + 2, style: o, isChosen: u });
  }
  const { gap: r, missing: l } = e,
    s = l === null ? 'Load older events' : `${ye(l)} more not loaded: load the next`;
  return f('div', {
    class: 'row gap',
    role: 'row',
    'aria-rowindex': t + 2,
    style: o,
    children: f('span', {
      role: 'gridcell',
      children: f('button', {
        type: 'button',
        class: 'quiet',
        onClick: () => {
          Wa(r);
        },
        children: nr.value === r ? 'Loading…' : s,
      }),
    }),
  });
}
function Gh() {
  return $t.value !== ''
    ? f('p', { class: 'empty', children: ['Nothing that is loaded has “', $t.value, '” in it.'] })
    : $n.value
      ? f('p', { class: 'empty', children: 'No event passes these filters.' })
      : f(jc, {});
}
function qh(e, t) {
  if (e.target !== e.currentTarget) return;
  const n = Math.max(1, Math.floor(as.value / t) - 2),
    r = { ArrowDown: 1, ArrowUp: -1, PageDown: n, PageUp: -n, Home: -1 / 0, End: 1 / 0 }[e.key];
  if (r !== void 0) jh(r, t);
  else if (e.key === 'Enter' && Je.value !== null) vt.value = Je.value;
  else if (e.key === 'Escape' && Je.value !== null) Je.value = null;
  else return;
  e.preventDefault();
}
function jh(e, t) {
  const o = Hn.value.map((u) => ('row' in u ? u.row.id : null)),
    r = o.filter((u) => u !== null);
  if (r.length === 0) return;
  const l = Je.value === null ? -1 : r.indexOf(Je.value),
    s = Math.min(r.length - 1, Math.max(0, l < 0 ? (e > 1 ? e : 0) : l + e));
  (Je.value = r[s]), Kh(o.indexOf(r[s]), t);
}
function Kh(e, t) {
  if (Jt === null) return;
  const [n, o] = [e * t, (e + 2) * t];
  n < Jt.scrollTop
    ? (Jt.scrollTop = n)
    : o > Jt.scrollTop + Jt.clientHeight && (Jt.scrollTop = o - Jt.clientHeight);
}
var us = 'search',
  of = {
    session_id: 'Session',
    agent_type: 'Agent',
    event_type: 'Type',
    tool_name: 'Tool',
    status: 'Status',
    project: 'Project',
    branch: 'Branch',
    model: 'Model',
    source: 'Source',
  },
  Yh = Nn.filter((e) => e !== 'session_id'),
  mr = ee(!1),
  rf = ee({});
function lf() {
  const e = Nn.filter((t) => Ee.value[t]).length;
  return f('div', {
    class: 'feed-bar',
    children: [
      f('div', {
        class: 'feed-tools',
        children: [
          f('h2', { id: 'feed-title', children: 'Events' }),
          f('input', {
            id: us,
            type: 'search',
            placeholder: 'Search what is loaded  ( / )',
            'aria-label': 'Search what is loaded',
            autocomplete: 'off',
            spellcheck: !1,
            value: $t.value,
            onInput: (t) => {
              $t.value = t.currentTarget.value;
            },
          }),
          $t.value !== '' &&
            f('span', {
              class: 'dim number found',
              children: [ye(Hn.value.filter((t) => 'row' in t).length), ' found'],
            }),
          f('span', { class: 'spring' }),
          f('button', {
            type: 'button',
            'aria-expanded': mr.value,
            'aria-controls': 'filters',
            onClick: Jh,
            children: ['Filters', e > 0 && f('span', { class: 'count', children: e })],
          }),
          f(Xh, {}),
        ],
      }),
      f('div', {
        id: 'filters',
        class: 'filters',
        hidden: !mr.value,
        children: Yh.map((t) => f(Zh, { name: t }, t)),
      }),
      $n.value && f(Qh, {}),
    ],
  });
}
function Jh() {
  (mr.value = !mr.value),
    mr.value &&
      Nt('/api/filter-options')
        .then((e) => {
          rf.value = e;
        })
        .catch(() => {});
}
function Zh({ name: e }) {
  const t = Ee.value[e] ?? '',
    n = rf.value[e] ?? [],
    o = t === '' || n.some((r) => r.name === t);
  return f('label', {
    children: [
      f('span', { children: of[e] }),
      f('select', {
        value: t,
        onChange: (r) => tn(e, r.currentTarget.value),
        children: [
          f('option', { value: '', children: 'any' }),
          !o && f('option', { value: t, children: Ae(t, 80) }),
          n.map((r) =>
            f('option', { value: r.name, children: [Ae(r.name, 80), ' (', ye(r.count), ')'] }, r.name),
          ),
        ],
      }),
    ],
  });
}
function Qh() {
  return f('ul', {
    class: 'chips',
    'aria-label': 'Filters in use',
    children: [
      Nn.map((e) => {
        const t = Ee.value[e];
        return t
          ? f(
              'li',
              {
                children: f('button', {
                  type: 'button',
                  class: 'chip',
                  title: 'Take this filter away',
                  onClick: () => tn(e, void 0),
                  children: [
                    f('span', { class: 'dim', children: of[e] }),
                    ' ',
                    f('span', { class: 'text', children: Ae(t, 80) }),
                    f('span', { 'aria-hidden': 'true', children: ' ×' }),
                  ],
                }),
              },
              e,
            )
          : null;
      }),
      f('li', {
        children: f('button', { type: 'button', class: 'quiet', onClick: Fa, children: 'Clear all' }),
      }),
    ],
  });
}
function Xh() {
  const { count: e, isMore: t } = Ia.value,
    n = gi.value && e > 0;
  return f(Ye, {
    children: [
      n &&
        f('button', {
          type: 'button',
          class: 'waits number',
          onClick: em,
          children: [ye(e), t && '+', ' new ↑'],
        }),
      f('button', {
        type: 'button',
        class: 'pause',
        'aria-pressed': _n.value,
        onClick: () => {
          _n.value = !_n.value;
        },
        children: _n.value ? 'Resume' : 'Pause',
      }),
    ],
  });
}
function em() {
  Zr(), tf();
}
function af() {
  const e = To.value;
  return f('header', {
    class: 'top',
    children: [
      f('h1', { children: ['twin', f('span', { children: '-ingest' })] }),
      f(tm, {}),
      e !== null &&
        f('p', {
          class: 'runtime',
          children: [
            e.runtime,
            ' ',
            e.version,
            f('span', { class: 'dim', children: [' · up ', Wn(e.uptime * 1e3)] }),
          ],
        }),
      f(om, {}),
    ],
  });
}
function tm() {
  const { state: e, text: t } = nm();
  return f('p', {
    class: `badge is-${e}`,
    'data-connection': e,
    children: [f('span', { class: 'dot', 'aria-hidden': 'true' }), t],
  });
}
function nm() {
  const e = _t.value;
  switch (e.state) {
    case 'live':
      return { state: 'live', text: 'Live' };
    case 'connecting':
      return { state: 'connecting', text: 'Connecting' };
    case 'asleep':
      return { state: 'asleep', text: 'Asleep' };
    case 'refused':
      return {
        state: 'refused',
        text: e.status === 401 ? 'Refused: open /?token=… once' : `Refused with ${e.status}`,
      };
    case 'lost': {
      It.value;
      const t = Math.max(0, Math.ceil((e.retry_at_ms - performance.now()) / 1e3));
      return { state: 'lost', text: t === 0 ? 'Lost, retrying' : `Lost, retrying in ${t} s` };
    }
  }
}
var sf = { system: 'light', light: 'dark', dark: 'system' },
  cs = { system: 'Auto', light: 'Light', dark: 'Dark' };
function om() {
  const e = Jn.value;
  return f('button', {
    type: 'button',
    class: 'quiet',
    'aria-label': `Colours: ${cs[e]}. Change to ${cs[sf[e]]}`,
    onClick: () => {
      Jn.value = sf[e];
    },
    children: cs[e],
  });
}
function uf() {
  const e = To.value;
  if (e === null) return null;
  const t = e.status === 'ok',
    n = [
      ['Runtime', `${e.runtime} · ${e.version}`],
      ['Uptime', Wn(e.uptime * 1e3)],
      ['Write queue', `${ye(e.queue_events)} events`],
      ['Database', rr(e.db_bytes)],
      ['Write-ahead log', rr(e.wal_bytes)],
      ['Streams', ye(e.sse_clients)],
      ['Durability', e.durability],
      ['SQLite', e.sqlite_version],
      ['Contract', e.contract],
    ];
  return f(nn, {
    id: 'server',
    title: 'Server',
    more: f('span', {
      class: `state ${t ? 'is-active' : 'bad'}`,
      children: [
        f('span', { class: 'dot', 'aria-hidden': 'true' }),
        e.reason === void 0 ? e.status : `${e.status}: ${e.reason}`,
      ],
    }),
    children: f('dl', {
      class: 'facts',
      children: n.map(([o, r]) =>
        f('div', { children: [f('dt', { children: o }), f('dd', { children: r })] }, o),
      ),
    }),
  });
}
var rm = 8,
  lm = ['active', 'idle', 'ended'];
function cf() {
  const e = ir.value,
    [t, n] = Bn(e ?? [], rm);
  return f(nn, {
    id: 'sessions',
    title: 'Sessions',
    more: e === null || e.length === 0 ? void 0 : im(),
    children: [
      e !== null && e.length === 0 && f(Vn, { children: 'A session begins with its first event.' }),
      f('ul', {
        class: 'sessions',
        children: t.map(({ session: o, status: r, age_ms: l }) =>
          f(sm, { session: o, status: r, age_ms: l }, o.id),
        ),
      }),
      n,
    ],
  });
}
function im() {
  const e = lm.map((t) => {
    const n = ir.value?.filter((o) => o.status === t).length ?? 0;
    return n === 0 ? '' : `${n} ${t}`;
  });
  return `${eu.value ? 'newest: ' : ''}${e.filter((t) => t !== '').join(' · ')}`;
}
function sm({ session: e, status: t, age_ms: n }) {
  const o = Ee.value.session_id === e.id,
    r = [e.project, e.branch].filter((l) => l !== null).join(' / ');
  return f('li', {
    children: f('button', {
      type: 'button',
      class: 'session',
      'aria-pressed': o,
      title: `Session ${Ae(e.id)}: show its events`,
      onClick: () => tn('session_id', o ? void 0 : e.id),
      children: [
        f('span', {
          class: `state is-${t}`,
          children: [f('span', { class: 'dot', 'aria-hidden': 'true' }), t],
        }),
        f('span', { class: 'name text', children: Ae(e.id) }),
        f('span', { class: 'age number', children: Wn(n) }),
        f('span', { class: 'where text dim', children: [Ae(e.agent_type), r !== '' && ` · ${Ae(r)}`] }),
        f('span', {
          class: 'sums number dim',
          children: [
            ut(e.event_count),
            ' ev',
            e.error_count > 0 && f('span', { class: 'bad', children: [' · ', ut(e.error_count), ' err'] }),
            e.total_cost_usd > 0 && ` · ${Ct(e.total_cost_usd)}`,
          ],
        }),
      ],
    }),
  });
}
function ff() {
  const e = vn.value,
    t = ir.value?.filter(({ status: o }) => o === 'active').length,
    n = _t.value.state === 'live';
  return f('section', {
    'aria-label': 'Totals',
    children: f('dl', {
      class: 'tiles',
      children: [
        f(Zn, { name: 'Events', value: e && ye(e.total_events) }),
        f(Zn, { name: 'Events per second', value: n ? am(gn.recent(It.value)) : '–' }),
        f(Zn, {
          name: 'Active sessions',
          value: t === void 0 ? null : ye(t),
          more: e && `of ${ye(e.total_sessions)}`,
        }),
        f(Zn, {
          name: 'Errors',
          value: e && ye(e.total_errors),
          more: e && e.total_events > 0 ? Xr(e.total_errors / e.total_events) : null,
          isBad: e !== null && e.total_errors > 0,
        }),
        f(Zn, { name: 'Tokens in', value: e && ut(e.total_tokens_in) }),
        f(Zn, { name: 'Tokens out', value: e && ut(e.total_tokens_out) }),
        f(Zn, { name: 'Cost', value: e && Ct(e.total_cost_usd) }),
      ],
    }),
  });
}
function Zn({ name: e, value: t, more: n = null, isBad: o = !1 }) {
  return f('div', {
    class: 'tile',
    children: [
      f('dt', { children: e }),
      f('dd', {
        class: o ? 'bad' : void 0,
        children: [
          t ?? f('span', { class: 'dim', children: '–' }),
          n !== null && f('span', { class: 'more', children: [' ', n] }),
        ],
      }),
    ],
  });
}
function am(e) {
  return e < 9.95 && e > 0 ? e.toFixed(1) : ye(e);
}
var um = 8;
function pf() {
  const e = nl.value,
    [t, n] = Bn(e ?? [], um);
  return f(nn, {
    id: 'tools',
    title: 'Tools',
    children: [
      e?.length === 0
        ? f(Vn, { children: 'No event has named a tool.' })
        : f('table', {
            'aria-labelledby': 'tools-title',
            children: [
              f('thead', {
                children: f('tr', {
                  children: [
                    f('th', { scope: 'col', children: 'Tool' }),
                    f('th', { scope: 'col', class: 'number', children: 'Calls' }),
                    f('th', { scope: 'col', class: 'number', children: 'Errors' }),
                    f('th', { scope: 'col', class: 'number', children: 'Mean' }),
                  ],
                }),
              }),
              f('tbody', { children: t.map((o) => f(cm, { tool: o }, o.tool_name)) }),
            ],
          }),
      n,
    ],
  });
}
function cm({ tool: e }) {
  return f('tr', {
    children: [
      f('th', { scope: 'row', children: f(sr, { name: 'tool_name', value: e.tool_name }) }),
      f('td', { class: 'number', children: ye(e.total_calls) }),
      f('td', {
        class: `number ${e.error_count > 0 ? 'bad' : 'dim'}`,
        title: `${ye(e.error_count)} failed`,
        children: Xr(e.error_rate),
      }),
      f('td', {
        class: 'number',
        children:
          e.avg_duration_ms === null ? f('span', { class: 'dim', children: '–' }) : ko(e.avg_duration_ms),
      }),
    ],
  });
}
function hf() {
  return (
    rt(() => (addEventListener('keydown', df), () => removeEventListener('keydown', df)), []),
    f(Ye, {
      children: [
        f('a', { class: 'skip', href: '#feed', children: 'Skip to the events' }),
        f(af, {}),
        f('main', {
          children: [
            f(ff, {}),
            f(Ic, {}),
            f('div', {
              class: 'columns',
              children: [
                f('section', {
                  class: 'panel feed-panel',
                  'aria-labelledby': 'feed-title',
                  children: [f(lf, {}), f(nf, {})],
                }),
                f('div', { class: 'side', children: [f(cf, {}), f(pf, {}), f(ru, {}), f(uf, {})] }),
              ],
            }),
          ],
        }),
        f(Gc, {}),
        f(Ba, {}),
      ],
    })
  );
}
function df(e) {
  if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey) return;
  const { target: t } = e;
  (t instanceof Element && t.closest('input, select, textarea, dialog') !== null) ||
    (e.preventDefault(), document.getElementById(us)?.focus());
}
function fs({ topic: e, subscribe: t }, n, o) {
  return {
    topic: e,
    subscribe: t,
    fetch: async (r, l) => {
      const { epoch: s, revision: u } = await n(e, l);
      return r?.epoch === s && r.revision === u
        ? null
        : { epoch: s, revision: u, ...(await o(r?.epoch === s ? r : null, l)) };
    },
  };
}
var fm = 250,
  bl = { events: 400, sessions: 1e3, stats: 1e3, breakdown: 5e3 },
  pm = 5e3,
  dm = 3e4,
  _f = 100;
function vf() {
  let e,
    t = () => {
      document.hidden ? (e?.(), (e = void 0)) : (e ??= hm());
    };
  addEventListener('visibilitychange', t),
    Ya(() => {
      _t.peek().state !== 'live' && gn.lose(), gn.tick(Date.now());
    }),
    t();
}
function hm() {
  const e = new AbortController(),
    { signal: t } = e,
    n = new er({ topics: ['events', 'sessions', 'stats'], min_interval_ms: fm, onState: Pa }),
    o = vm(n, t),
    r = (s, u) => {
      const d = new Xo({ ...u, pace: { throttle_ms: s }, signal: t });
      return (d.start().catch(() => {}), d);
    },
    l = mm(n, o, r);
  return (
    r(bl.sessions, { ...n.of('sessions', { limit: _f }), apply: ({ data: s }) => ki(s) }),
    r(bl.stats, {
      ...n.of('stats'),
      apply: ({ data: s }) => {
        vn.value = s;
      },
    }),
    r(bl.breakdown, {
      ...fs(n.of('stats'), o, async () => ({
        data: await Promise.all([Nt('/api/stats/tools', t).then((s) => s.tools), Nt('/api/stats/cost', t)]),
      })),
      apply: ({ data: s }) => {
        [nl.value, Un.value] = s;
      },
    }),
    mf(pm, t, gm, !0),
    mf(dm, t, ym, !1),
    Za(),
    () => {
      Qa(), l(), e.abort();
    }
  );
}
function mm(e, t, n) {
  return Qe(() => {
    const o = tr(Ee.value),
      r = Ln(() =>
        n(bl.events, {
          ...(o.size === 0
            ? e.of('events', { limit: Jr, deltas: !0 })
            : fs(e.of('events'), t, (l, s) => _m(o, l, s))),
          apply: ({ data: { events: l, next: s }, epoch: u }, d) => Ha(l, u, d, s !== null),
        }),
      );
    return () => r.stop();
  });
}
async function _m(e, t, n) {
  const o = `/api/events?${e}&limit=${Jr}`;
  if (t !== null) {
    const { events: r, next: l } = await Nt(`${o}&after=${t.revision}`, n);
    if (l === null) return { data: { events: r.toReversed(), next: l } };
  }
  return { data: await Nt(o, n), reset: !0 };
}
function vm(e, t) {
  const n = new Map(),
    o = new Set();
  return (
    e
      .of('events')
      .subscribe((r) => {
        const l = r;
        n.set(l.topic, l), l.topic === 'events' && gn.hear(Date.now(), Number(l.revision));
        for (const s of o) s();
        o.clear();
      }, t)
      .then((r) => t.addEventListener('abort', r, { once: !0 })),
    async (r, l) => {
      for (;;) {
        const s = n.get(r);
        if (s !== void 0) return s;
        l.throwIfAborted(),
          await new Promise((u) => {
            o.add(u), l.addEventListener('abort', () => u(), { once: !0 });
          });
      }
    }
  );
}
async function gm(e) {
  const t = await fetch('/api/health', { cache: 'no-store', signal: e });
  Ja(t.headers.get('date')), (t.ok || t.status === 503) && (To.value = await t.json());
}
async function ym(e) {
  const [t, n] = await Promise.all([Nt(`/api/sessions?limit=${_f}`, e), Nt('/api/stats', e)]);
  ki(t), (vn.value = n);
}
function mf(e, t, n, o) {
  let r = setInterval(s, e),
    l = !1;
  async function s() {
    l || ((l = !0), await n(t).catch(() => {}), (l = !1));
  }
  o && s(), t.addEventListener('abort', () => clearInterval(r), { once: !0 });
}
Fc();
Na();
Ua();
vf();
ea(f(hf, {}), document.getElementById('app'));
