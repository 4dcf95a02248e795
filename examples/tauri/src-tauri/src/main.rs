//! A window with the dashboard of a server that starts and ends with the app.

// No console window next to the app.
#![cfg_attr(all(not(debug_assertions), windows), windows_subsystem = "windows")]

use std::sync::Mutex;

use ingest_sidecar::{Sidecar, bundled_program};
use tauri::{Manager, RunEvent, WebviewUrl, WebviewWindowBuilder};

fn main() -> tauri::Result<()> {
    let app = tauri::Builder::default()
        .setup(|app| {
            let sidecar = Sidecar::start(&bundled_program()?, &app.path().app_data_dir()?)?;
            // The server itself serves the page, so the window needs no port, no token and no allowed origin.
            let page = WebviewUrl::External(sidecar.login_url.parse()?);
            WebviewWindowBuilder::new(app, "main", page).title("Agents").inner_size(1280.0, 800.0).build()?;
            app.manage(Mutex::new(Some(sidecar)));
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|app, event| {
        if let RunEvent::Exit = event {
            // Tauri ends the process without dropping its state. Without this line the pipe would end the server, too.
            let held = app.state::<Mutex<Option<Sidecar>>>();
            drop(held.lock().map(|mut sidecar| sidecar.take()));
        }
    });
    Ok(())
}
