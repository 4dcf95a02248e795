//! Runs `ingest-server`: arguments, app, listen, ready line, signals, drain, close, exit code.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ingest_server::app::App;
use ingest_server::clock::Clock;
use ingest_server::config::spec::exit_message;
use ingest_server::config::{Command, Config, parse_config};
use ingest_server::contract::{LIMITS, VERSION};
use ingest_server::error::ErrorCode;
use ingest_server::http::connection::serve;
use ingest_server::http::socket::SocketFile;
use ingest_server::http::transport::Listeners;
use ingest_server::log::open_log;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

fn main() -> ExitCode {
    let config = match parse_config(std::env::args_os().skip(1), std::env::vars_os()) {
        Ok(Command::Run(config)) => *config,
        Ok(Command::Print(text)) => {
            print(&text);
            return ExitCode::SUCCESS;
        }
        Err(problems) => {
            eprintln!("{}", problems.join("\n"));
            return ExitCode::from(exit_message("config", "", &[]).0);
        }
    };
    open_log(&config.log_level);
    // Accepting and answering are cheap beside the writer's thread; more threads than this only cost memory.
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    match runtime {
        Ok(runtime) => runtime.block_on(run(config)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> ExitCode {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return ExitCode::FAILURE;
    };
    let address = SocketAddr::new(config.host, config.port);
    let listener = match listen(address) {
        Ok(listener) => listener,
        Err(error) => {
            let in_use = error.kind() == std::io::ErrorKind::AddrInUse;
            let message = if in_use { "in_use" } else { "unusable" };
            let (code, text) = exit_message("port", message, &[("address", &address.to_string())]);
            eprintln!("{text}");
            return ExitCode::from(code);
        }
    };
    let path = config.socket.clone();
    let (file, unix) = match path.as_deref().map(SocketFile::bind).transpose() {
        Ok(bound) => bound.unzip(),
        Err(problem) => {
            let path = path.unwrap_or_default();
            let (code, text) = exit_message("socket", problem.as_str(), &[("path", &path)]);
            eprintln!("{text}");
            return ExitCode::from(code);
        }
    };
    let app = match App::build(config, Clock) {
        Ok(app) => app,
        Err(error) => {
            file.iter().for_each(SocketFile::remove);
            eprintln!("{error}");
            return ExitCode::from(error.exit);
        }
    };
    let url = listener.local_addr().map_or_else(|_| String::new(), |address| format!("http://{address}"));
    tokio::spawn(Arc::clone(&app).run());
    app.store.announce(&url);
    let mut fatal = app.store.state().fatal();
    let server = tokio::spawn(serve(Listeners { tcp: listener, unix }, file, app.router(), app.draining()));
    ready(&url, app.config.socket.as_deref());
    tracing::info!(url, db = app.config.db, "listening");

    let failed = tokio::select! {
        () = either(&mut terminate, &mut interrupt) => None,
        () = input_ended(app.config.exit_with_stdin) => None,
        code = fatal.wait_for(Option::is_some) => code.ok().and_then(|code| *code),
    };
    let stopped = tokio::select! {
        () = stop(&app, server, failed) => true,
        () = either(&mut terminate, &mut interrupt) => false,
    };
    match (stopped, failed) {
        (false, _) => ExitCode::FAILURE,
        (true, Some(_)) => ExitCode::from(exit_message("storage", "", &[]).0),
        (true, None) => ExitCode::SUCCESS,
    }
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // So that a restart need not wait for the last connections of the server before it.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(1024)
}

/// Rule PRO-07. Connections that do not end in time are cut; what was acknowledged is committed all the same.
async fn stop(app: &Arc<App>, server: tokio::task::JoinHandle<()>, failed: Option<ErrorCode>) {
    tracing::info!(code = failed.map(ErrorCode::as_str), "stopping");
    app.drain();
    // The last second is the checkpoint's.
    let wait = Duration::from_millis(LIMITS.shutdown_ms).saturating_sub(Duration::from_secs(1));
    if tokio::time::timeout(wait, server).await.is_err() {
        tracing::warn!("connections were cut");
    }
    let store = Arc::clone(&app.store);
    if tokio::task::spawn_blocking(move || store.close()).await.is_err() {
        tracing::error!("closing failed");
    }
    tracing::info!("stopped");
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

/// Resolves when standard input ends (rule PRO-10), where that is asked for. A thread of its own reads it: at its end a
/// runtime waits for the reads that it has begun.
async fn input_ended(is_asked: bool) {
    if !is_asked {
        return std::future::pending().await;
    }
    let (input, ended) = oneshot::channel::<()>();
    let read = move || {
        wait_for_end(&mut std::io::stdin());
        drop(input);
    };
    // Without a thread this resolves at once: a server that cannot see the end must not live on.
    drop(std::thread::Builder::new().name("input".to_owned()).spawn(read));
    // Nothing is sent; the sender is dropped.
    drop(ended.await);
}

/// What comes before the end is not used. An error is an end: nothing can come any more.
fn wait_for_end(input: &mut std::io::Stdin) {
    let mut buffer = [0; 4096];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A parent may pass on a descriptor that does not block.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let waited = poll(&mut [PollFd::new(input, PollFlags::IN)], None);
                if waited.is_err_and(|error| error != Errno::INTR) {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

/// Rule PRO-01.
fn ready(url: &str, socket: Option<&str>) {
    let mut line = serde_json::json!({
        "event": "ready",
        "url": url,
        "pid": std::process::id(),
        "runtime": "rust",
        "version": env!("CARGO_PKG_VERSION"),
        "contract": *VERSION,
    });
    if let Some(socket) = socket {
        line["socket"] = socket.into();
    }
    print(&format!("{line}\n"));
}

/// Writes to stdout; whoever closed it does not want to read it.
fn print(text: &str) {
    let mut out = std::io::stdout();
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}
